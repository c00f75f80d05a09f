import { closeSync, createReadStream, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { crc32, createZstdDecompress, zstdDecompressSync } from 'node:zlib';
import { LineCutter, type LineReceiver } from './line-cutter.ts';
import type { SessionFile } from './source.ts';

/** Most lines are much shorter. */
const BLOCK_BYTES = 512 * 1024;
/** Bytes before the end of the last reading that must be unchanged to continue from there. */
const CHECKED_BYTES = 4_096;
const SMALL_BYTES = 512 * 1024;
const SMALL_UNPACKED_BYTES = 4 * 1024 * 1024;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Position up to which a file was read. */
export interface ReadMark {
  /** Position at which the next reading continues: after a line. */
  readonly offset: number;
  /** CRC-32 of the bytes before it. */
  readonly check: number;
}

/** State of a file when it was read, and the position reached. */
export interface ReadState {
  readonly file: SessionFile;
  readonly mark: ReadMark;
}

/** Called between blocks with the bytes read. A returned promise is awaited. An error ends the reading. */
export type PauseCallback = (bytes: number) => Promise<void> | undefined;

/**
 * Reads files of any size in blocks through one buffer and passes on whole lines.
 *
 * A last line without a newline may be incomplete, so it is left for the next reading, unless it is a whole JSON object.
 */
export class BlockReader {
  readonly #buffer: Buffer;
  readonly #checked = Buffer.allocUnsafeSlow(CHECKED_BYTES + 2);

  constructor(blockBytes: number = BLOCK_BYTES) {
    this.#buffer = Buffer.allocUnsafeSlow(blockBytes);
  }

  /**
   * Reads a file to its current end. `begin` gets true if reading continues from the end of `before`, which requires that it
   * is the same file and has grown. Returns null if the file no longer exists. Throws file system errors.
   */
  async read(
    file: SessionFile,
    before: ReadState | null,
    begin: (goesOn: boolean) => LineReceiver,
    pause: PauseCallback,
  ): Promise<ReadState | null> {
    const handle = openIfThere(file.path);
    if (handle === null) return null;
    try {
      const now = withOpenedStats(file, handle);
      if (file.compressed) return { file: now, mark: await this.#readCompressed(now, begin(false), pause) };
      const goesOn = before !== null && this.#goesOn(handle, now, before);
      const from = goesOn ? before.mark.offset : 0;
      const offset = await this.#readPlain(handle, from, now.size, begin(goesOn), pause);
      return { file: now, mark: { offset, check: this.#checkBefore(handle, offset) } };
    } finally {
      closeSync(handle);
    }
  }

  async #readPlain(
    handle: number,
    from: number,
    size: number,
    lines: LineReceiver,
    pause: PauseCallback,
  ): Promise<number> {
    const cutter = new LineCutter(this.#buffer, lines, from);
    let position = from;
    while (position < size) {
      const room = Math.min(this.#buffer.length - cutter.used, size - position);
      const count = readSync(handle, this.#buffer, cutter.used, room, position);
      if (count === 0) break;
      position += count;
      cutter.filled(count);
      const wait = pause(count);
      if (wait) await wait;
    }
    return cutter.end();
  }

  async #readCompressed({ path, size }: SessionFile, lines: LineReceiver, pause: PauseCallback): Promise<ReadMark> {
    const cutter = new LineCutter(this.#buffer, lines, 0);
    for await (const piece of unpackSmall(path, size) ?? unpackStream(path)) {
      for (let at = 0; at < piece.length;) {
        const count = piece.copy(this.#buffer, cutter.used, at);
        cutter.filled(count);
        at += count;
      }
      await pause(piece.length);
    }
    cutter.end();
    return { offset: 0, check: 0 };
  }

  /** Returns true if the file has grown, is unchanged before the last position, and a line starts there. */
  #goesOn(handle: number, now: SessionFile, { file, mark }: ReadState): boolean {
    if (file.inode !== now.inode || now.size <= file.size || mark.offset > file.size) return false;
    if (this.#checkBefore(handle, mark.offset) !== mark.check) return false;
    if (mark.offset === 0) return true;
    const [before, first, second] = this.#around(handle, mark.offset);
    return before === NEWLINE || first === NEWLINE || (first === RETURN && second === NEWLINE);
  }

  #around(handle: number, offset: number): number[] {
    const count = readSync(handle, this.#checked, 0, 3, offset - 1);
    return [...this.#checked.subarray(0, count)];
  }

  #checkBefore(handle: number, offset: number): number {
    const start = Math.max(0, offset - CHECKED_BYTES);
    const count = readSync(handle, this.#checked, 0, offset - start, start);
    return crc32(this.#checked.subarray(0, count));
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Unpacks a small file whole, which is several times faster than as a stream; null = it is not small. */
function unpackSmall(path: string, size: number): Buffer[] | null {
  if (size > SMALL_BYTES) return null;
  try {
    return [zstdDecompressSync(readFileSync(path), { maxOutputLength: SMALL_UNPACKED_BYTES })];
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}

function unpackStream(path: string): AsyncIterable<Buffer> {
  return createReadStream(path).pipe(createZstdDecompress());
}

/** Updates size, time and inode: the file may have been replaced since it was found. */
function withOpenedStats(file: SessionFile, handle: number): SessionFile {
  const { size, mtimeNs, dev, ino } = fstatSync(handle, { bigint: true });
  return { ...file, size: Number(size), modifiedAt: Number(mtimeNs) / 1e6, inode: `${dev}:${ino}` };
}
