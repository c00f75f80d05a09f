const LINE_FEED = 0x0a;
const NOTHING = Buffer.alloc(0);

/** Splits bytes that arrive in pieces into lines, without their line feeds. */
export class LineSplitter {
  readonly #bytesMax: number;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Yields the lines that end in this piece. Throws `RangeError` for a line that is longer than the maximum. */
  *push(piece: Uint8Array): Generator<Buffer> {
    let from = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, from)) {
      yield this.#take(piece.subarray(from, end));
      from = end + 1;
    }
    this.#keep(piece.subarray(from));
  }

  /** Returns what follows the last line feed; empty = nothing. */
  end(): Buffer {
    return this.#take(NOTHING);
  }

  #take(last: Uint8Array): Buffer {
    this.#keep(last);
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    return line;
  }

  #keep(part: Uint8Array): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#bytesMax) throw new RangeError(`A line is longer than ${this.#bytesMax} bytes.`);
    if (part.length > 0) this.#pieces.push(part);
  }
}
