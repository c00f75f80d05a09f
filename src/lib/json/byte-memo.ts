/** Longer values are rarely the same twice. */
const BYTES_MAX = 64;

/**
 * The last value seen at one place; a short one is known again by its bytes. Events of a stream repeat their type, id and model thousands
 * of times: comparing a few bytes is much cheaper than parsing them anew.
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
