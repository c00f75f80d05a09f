/** A buffer has some 300 bytes of its own beside what it holds: pieces smaller than this are copied together. */
const SMALL_PIECE_BYTES = 4 * 1024;
const SMALL_BLOCK_BYTES = 64 * 1024;
/** What comes after so much of a body is copied into large blocks, which go back to the system once they are not needed. */
const LARGE_BODY_BYTES = 1_048_576;

/**
 * The pieces of a body as they come, in memory not much larger than what they hold, however small they are: a client
 * decides how its body is cut. A first piece that is the whole body is never copied.
 */
export class BodyPieces {
  #list: Buffer[] = [];
  /** Blocks that pieces are copied into, one behind the other; the last one has room. */
  #blocks: Buffer<ArrayBuffer>[] = [];
  /** Of the last block: `[start, end)` is in no piece of the list yet. */
  #start = 0;
  #end = 0;
  bytes = 0;

  /** Buffers that are kept. */
  get count(): number {
    return this.#list.length + (this.#end > this.#start ? 1 : 0);
  }

  add(piece: Buffer): void {
    const isSmall = piece.length < SMALL_PIECE_BYTES || this.bytes >= LARGE_BODY_BYTES;
    if (this.#list.length > 0 && isSmall) this.#copy(piece);
    else {
      this.#flush();
      this.#list.push(piece);
    }
    this.bytes += piece.length;
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
    // Not left to the garbage collector, which may come much later, when nothing else is going on.
    for (const block of this.#blocks) block.buffer.transfer(0);
    this.#list = [];
    this.#blocks = [];
    this.#start = this.#end = this.bytes = 0;
  }

  #copy(piece: Buffer): void {
    for (let from = 0; from < piece.length;) {
      const block = this.#withRoom();
      const copied = piece.copy(block, this.#end, from);
      this.#end += copied;
      from += copied;
    }
  }

  #withRoom(): Buffer {
    const last = this.#blocks.at(-1);
    if (last && this.#end < last.length) return last;
    this.#flush();
    const fresh = Buffer.allocUnsafeSlow(this.bytes < LARGE_BODY_BYTES ? SMALL_BLOCK_BYTES : LARGE_BODY_BYTES);
    this.#blocks.push(fresh);
    this.#start = this.#end = 0;
    return fresh;
  }

  #flush(): void {
    const last = this.#blocks.at(-1);
    if (last && this.#end > this.#start) this.#list.push(last.subarray(this.#start, this.#end));
    this.#start = this.#end;
  }
}
