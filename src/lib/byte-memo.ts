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
  readonly #bytes = new Uint8Array(BYTES_MAX);

  holds(bytes: Uint8Array, start: number, end: number): boolean {
    const length = end - start;
    if (length !== this.#length) return false;
    const kept = this.#bytes;
    for (let at = 0; at < length; at++) if (kept[at] !== bytes[start + at]) return false;
    return true;
  }

  keep(bytes: Uint8Array, start: number, end: number, value: Value): void {
    const length = end - start;
    this.value = value;
    this.#length = length > BYTES_MAX ? -1 : length;
    if (length <= BYTES_MAX) for (let at = 0; at < length; at++) this.#bytes[at] = bytes[start + at]!;
  }
}
