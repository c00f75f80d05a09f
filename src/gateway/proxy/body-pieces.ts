/**
 * Pieces smaller than this are copied into blocks, because a buffer takes some 300 bytes in addition to its content.
 */
const SMALL_PIECE_BYTES = 4 * 1024;
const SMALL_BLOCK_BYTES = 64 * 1024;
/** Size from which every piece is copied into large blocks, which are freed as soon as they are not needed. */
const LARGE_BODY_BYTES = 1_048_576;

/**
 * Collects the pieces of a body in memory not much larger than the body, however small the pieces are; the client
 * decides their size. A body of one piece is never copied.
 */
export class BodyPieces {
  #list: Buffer[] = [];
  /** Blocks that pieces were copied into, in order. Only the last one may have room. */
  #blocks: Buffer<ArrayBuffer>[] = [];
  /** The part `[start, end)` of the last block is in no piece of the list yet. */
  #start = 0;
  #end = 0;
  bytes = 0;

  /** Number of buffers kept. */
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

  /** Returns the whole body in one buffer, and keeps nothing. */
  take(): Buffer {
    this.#flush();
    const [only] = this.#list;
    const whole = this.#list.length === 1 && only ? only : this.#join();
    this.clear();
    return whole;
  }

  /** Joins the pieces. The blocks of a large body are freed one by one, so that it is in memory only once. */
  #join(): Buffer {
    if (this.bytes < LARGE_BODY_BYTES) return Buffer.concat(this.#list, this.bytes);
    const whole = Buffer.allocUnsafeSlow(this.bytes);
    const own = new Set<ArrayBufferLike>(this.#blocks.map(({ buffer }) => buffer));
    let end = 0;
    for (const piece of this.#list) {
      end += piece.copy(whole, end);
      const { buffer, byteOffset, length } = piece;
      if (own.has(buffer) && byteOffset + length === buffer.byteLength) freeBlock(buffer);
    }
    return whole;
  }

  clear(): void {
    for (const { buffer } of this.#blocks) freeBlock(buffer);
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

/** The garbage collector might free it much later. */
function freeBlock(block: ArrayBufferLike): void {
  if (block instanceof ArrayBuffer && !block.detached) block.transfer(0);
}
