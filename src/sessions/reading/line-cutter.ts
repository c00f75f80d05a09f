const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** What takes a file's lines. */
export interface LineReceiver {
  block(bytes: Buffer, start: number, end: number): void;
  longLine(piece: Buffer, last: boolean): void;
}

/** Cuts what is filled into a buffer at the ends of lines. What is left of a line stays at the buffer's begin. */
export class LineCutter {
  /** Bytes at the buffer's begin that are taken; there is always room behind them. */
  used = 0;
  readonly #buffer: Buffer;
  readonly #lines: LineReceiver;
  /** Where in the file the next byte stands. */
  #position: number;
  /** Where in the file the line began that is longer than the buffer; null = none is under way. */
  #longFrom: number | null = null;

  constructor(buffer: Buffer, lines: LineReceiver, from: number) {
    this.#buffer = buffer;
    this.#lines = lines;
    this.#position = from;
  }

  /** `count` bytes have come behind those that were there. */
  filled(count: number): void {
    const isFirst = this.#position === 0;
    this.#position += count;
    this.used += count;
    let start = isFirst && BYTE_ORDER_MARK.every((byte, at) => this.#buffer[at] === byte) ? BYTE_ORDER_MARK.length : 0;
    if (this.#longFrom !== null) start = this.#goOn();
    const end = this.#buffer.lastIndexOf(NEWLINE, this.used - 1) + 1;
    if (end > start) {
      this.#lines.block(this.#buffer, start, end);
      start = end;
    }
    if (start > 0) this.#drop(start);
    if (this.used === this.#buffer.length) this.#beginLong();
  }

  /** The file has ended. Returns where its next line begins, or goes on. */
  end(): number {
    if (this.#longFrom !== null) return this.#longFrom;
    if (!isWholeObject(this.#buffer.subarray(0, this.used))) return this.#position - this.used;
    this.#buffer[this.used] = NEWLINE;
    this.#lines.block(this.#buffer, 0, this.used + 1);
    return this.#position;
  }

  /** Returns where the long line has ended, if it has. */
  #goOn(): number {
    const newline = this.#buffer.subarray(0, this.used).indexOf(NEWLINE);
    const end = newline === -1 ? this.used : newline + 1;
    this.#lines.longLine(this.#buffer.subarray(0, end), newline !== -1);
    if (newline !== -1) this.#longFrom = null;
    return end;
  }

  #beginLong(): void {
    this.#longFrom = this.#position - this.used;
    this.#lines.longLine(this.#buffer, false);
    this.used = 0;
  }

  #drop(count: number): void {
    this.#buffer.copyWithin(0, count, this.used);
    this.used -= count;
  }
}

function isWholeObject(bytes: Buffer): boolean {
  if (bytes.length === 0) return false;
  try {
    const value: unknown = JSON.parse(bytes.toString('latin1'));
    return typeof value === 'object' && value !== null;
  } catch {
    return false;
  }
}
