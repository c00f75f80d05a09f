/** A buffer has some 300 bytes of its own beside what it holds: pieces smaller than this are copied together. */
const SMALL_PIECE_BYTES = 4 * 1024;
const BLOCK_BYTES = 64 * 1024;

/**
 * The pieces of a body as they come, in memory not much larger than what they hold, however small they are: a client
 * decides how its body is cut. A first piece that is the whole body is never copied.
 */
export class BodyPieces {
  #list: Buffer[] = [];
  /** Where small pieces are copied to, one behind the other. */
  #block: Buffer | null = null;
  /** Of the block: `[start, end)` is in no piece of the list yet. */
  #start = 0;
  #end = 0;
  bytes = 0;

  /** Buffers that are kept. */
  get count(): number {
    return this.#list.length + (this.#end > this.#start ? 1 : 0);
  }

  add(piece: Buffer): void {
    this.bytes += piece.length;
    if (this.#list.length === 0 || piece.length >= SMALL_PIECE_BYTES) {
      this.#flush();
      this.#list.push(piece);
    } else this.#copy(piece);
  }

  /** All of it in one buffer; nothing is kept. */
  take(): Buffer {
    this.#flush();
    const [only] = this.#list;
    const whole = this.#list.length === 1 && only ? only : Buffer.concat(this.#list, this.bytes);
    this.clear();
    return whole;
  }

  clear(): void {
    this.#list = [];
    this.#block = null;
    this.#start = this.#end = this.bytes = 0;
  }

  #copy(piece: Buffer): void {
    if (!this.#block || this.#end + piece.length > BLOCK_BYTES) {
      this.#flush();
      this.#block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
      this.#start = this.#end = 0;
    }
    piece.copy(this.#block, this.#end);
    this.#end += piece.length;
  }

  #flush(): void {
    if (this.#block && this.#end > this.#start) this.#list.push(this.#block.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}
