import { readFileSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';

const TAB = 0x09;
const NEWLINE = 0x0a;
const KEPT_BYTES = 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** Maximum length of the checksum: eight hexadecimal digits and the newline. */
const CHECK_BYTES_MAX = 9;

/**
 * Makes lines of the journal. A line is its fields, each followed by a tab, the CRC-32 of all that, and a newline.
 * Fields are plain words or JSON, in which tabs and newlines are escaped.
 */
export class LineMaker {
  readonly #kept = Buffer.allocUnsafeSlow(KEPT_BYTES);

  /** Makes a line. `fields` end with a tab. The bytes are valid until the next line is made. */
  make(fields: string): Buffer {
    // No character takes more than three bytes.
    const roomy = fields.length * 3 + CHECK_BYTES_MAX <= KEPT_BYTES;
    const bytes = roomy ? this.#kept : Buffer.allocUnsafe(Buffer.byteLength(fields) + CHECK_BYTES_MAX);
    const length = bytes.write(fields, 'utf8');
    const check = bytes.write(`${lineChecksum(bytes.subarray(0, length))}\n`, length, 'latin1');
    return bytes.subarray(0, length + check);
  }
}

/** A line as read. */
export interface LogLine {
  /** null = wrong checksum: the line is damaged, or was never written whole. */
  readonly fields: readonly string[] | null;
  /** Offset of the next line. */
  readonly end: number;
}

/**
 * Reads lines of a file from an offset on. Bytes after the last newline are not a line yet; zeros are reserved space.
 */
export function* readLogLines(fd: number, from: number, chunkBytes = CHUNK_BYTES): Generator<LogLine, void, undefined> {
  let buffer = Buffer.allocUnsafe(chunkBytes);
  let offset = from;
  for (;;) {
    const chunk = buffer.subarray(0, readSync(fd, buffer, 0, buffer.length, offset));
    let at = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, at)) {
      yield { fields: readFields(chunk.subarray(at, end)), end: offset + end + 1 };
      at = end + 1;
    }
    offset += at;
    if (chunk[at] === 0) return;
    if (at > 0) continue;
    if (chunk.length < buffer.length) return;
    buffer = Buffer.allocUnsafe(buffer.length * 2);
  }
}

/**
 * State of a file after its last valid line: only reserved space (`none`), a line that was being written when the
 * process or machine died (`torn`), or damage: a valid line follows an invalid one.
 */
export type TailState = 'none' | 'torn' | 'damaged';

export function judgeTail(path: string, from: number): TailState {
  const bytes = readFileSync(path);
  let tail: TailState = 'none';
  for (let at = from; at < bytes.length;) {
    while (bytes[at] === 0) at += 1;
    if (at === bytes.length) break;
    const end = bytes.indexOf(NEWLINE, at);
    if (end < 0) return 'torn';
    if (readFields(bytes.subarray(at, end))) return 'damaged';
    tail = 'torn';
    at = end + 1;
  }
  return tail;
}

function readFields(line: Buffer): string[] | null {
  const tab = line.lastIndexOf(TAB);
  if (tab < 0 || lineChecksum(line.subarray(0, tab + 1)) !== line.toString('latin1', tab + 1)) return null;
  return line.toString('utf8', 0, tab).split('\t');
}

function lineChecksum(bytes: Uint8Array): string {
  return crc32(bytes).toString(16);
}
