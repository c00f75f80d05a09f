const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Receives the lines of a file. */
export interface LineReceiver {
  block(bytes: Buffer, start: number, end: number): void;
  longLine(piece: Buffer, last: boolean): void;
}

/** Splits a buffer at line ends. An incomplete line stays at the start of the buffer. */
export class LineCutter {
  /** Used bytes at the start of the buffer. There is always room after them. */
  used = 0;
  readonly #buffer: Buffer;
  readonly #lines: LineReceiver;
  /** File position of the next byte. */
  #position: number;
  /** File position of the start of a line longer than the buffer; null = none. */
  #longFrom: number | null = null;

  constructor(buffer: Buffer, lines: LineReceiver, from: number) {
    this.#buffer = buffer;
    this.#lines = lines;
    this.#position = from;
  }

  /** Processes `count` bytes that were added to the buffer. */
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

  /** Processes the end of the file. Returns the position at which the next reading continues. */
  end(): number {
    if (this.#longFrom !== null) return this.#longFrom;
    if (!isWholeObject(this.#buffer.subarray(0, this.used))) return this.#position - this.used;
    this.#buffer[this.used] = NEWLINE;
    this.#lines.block(this.#buffer, 0, this.used + 1);
    return this.#position;
  }

  /** Continues a long line. Returns the bytes that belong to it. */
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
