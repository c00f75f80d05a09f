/** Longer values are rarely the same twice. */
const BYTES_MAX = 64;

/**
 * Remembers the last value at one place; short values are recognized by their bytes. Events of a stream repeat type, id
 * and model thousands of times, and comparing a few bytes is much cheaper than parsing.
 */
export class ByteMemo<Value> {
  /** The last value, short or not. */
  value: Value | undefined = undefined;
  #length = -1;
  /** Made for the second value: what is seen once, as in an answer that is no stream, needs no memory. */
  #bytes: Uint8Array | null = null;
  #seen = false;

  holds(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (length !== this.#length) return false;
    const kept = this.#bytes!;
    for (let at = 0; at < length; at++) if (kept[at] !== bytes[start + at]) return false;
    return true;
  }

  keep(bytes: Uint8Array, start: number, end: number, value: Value): void {
    const length = end - start;
    this.value = value;
    const keeps = this.#seen && length <= BYTES_MAX;
    this.#seen = true;
    this.#length = keeps ? length : -1;
    if (!keeps) return;
    const kept = (this.#bytes ??= new Uint8Array(BYTES_MAX));
    for (let at = 0; at < length; at++) kept[at] = bytes[start + at]!;
  }
}

const FIRST_BYTES = 256;
/** A larger buffer is given back after use, so that thousands of open streams stay small. */
const KEPT_BYTES_MAX = 4_096;

/** Collects the bytes of a value that is torn over pieces, up to a bound. */
export class CaptureBuffer {
  /** Something was appended since the last `clear`. */
  started = false;
  /** More was appended than the bound allows; the bytes are gone. */
  overflowed = false;
  #bytes: Uint8Array | null = null;
  #length = 0;

  append(piece: Uint8Array, start: number, end: number, bytesMax: number): void {
    this.started = true;
    const length = this.#length + end - start;
    if (this.overflowed || length > bytesMax) {
      this.overflowed = true;
      return;
    }
    if (this.#bytes === null || length > this.#bytes.length) this.#grow(length);
    this.#bytes!.set(piece.subarray(start, end), this.#length);
    this.#length = length;
  }

  get length(): number {
    return this.#length;
  }

  /** A view that holds until the next `append`. */
  bytes(): Uint8Array {
    return this.#bytes === null ? new Uint8Array(0) : this.#bytes.subarray(0, this.#length);
  }

  clear(): void {
    this.started = false;
    this.overflowed = false;
    this.#length = 0;
    if (this.#bytes !== null && this.#bytes.length > KEPT_BYTES_MAX) this.#bytes = null;
  }

  #grow(length: number): void {
    const grown = new Uint8Array(Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(length))));
    if (this.#bytes !== null) grown.set(this.bytes());
    this.#bytes = grown;
  }
}
