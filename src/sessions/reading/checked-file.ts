import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

const NEWLINE = 0x0a;
const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const SUM_DIGITS = 8;

/** Body of a checked file, and its CRC-32. */
export interface CheckedBody {
  readonly body: Buffer;
  readonly sum: number;
}

/** Reads a checked file; null = it is missing, has another `label`, or is damaged. */
export function readChecked(path: string, label: string): CheckedBody | null {
  try {
    const bytes = readFileSync(path);
    const start = bytes.indexOf(NEWLINE) + 1;
    const body = bytes.subarray(start);
    const sum = crc32(body);
    return bytes.toString('latin1', 0, start) === header(label, sum) ? { body, sum } : null;
  } catch {
    return null;
  }
}

/**
 * Writes pieces of ASCII text or bytes to a file that only its owner can read, and returns their checksum. The file is
 * renamed at the end, so a reader sees either the old or the new one, and the last of several writers wins. A file damaged by
 * a power failure is detected by its checksum.
 */
export function writeChecked(path: string, label: string, pieces: Iterable<string | Uint8Array>): number {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const draft = `${path}.${process.pid}.draft`;
  rmSync(draft, { force: true });
  let sum = 0;
  const file = openSync(draft, 'wx', PRIVATE_FILE);
  try {
    writeFileSync(file, header(label, sum));
    for (const piece of pieces) {
      sum = crc32(piece, sum);
      writeFileSync(file, piece, 'latin1');
    }
    writeSync(file, header(label, sum), 0, 'latin1');
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
  removeLeftDrafts(folder, basename(path));
  return sum;
}

/** Removes drafts of processes that died while writing. */
function removeLeftDrafts(folder: string, name: string): void {
  for (const entry of readdirSync(folder)) {
    const pid = entry.startsWith(`${name}.`) ? /\.(\d+)\.draft$/.exec(entry)?.[1] : undefined;
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, entry), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function header(label: string, sum: number): string {
  return `tollbook ${label} ${sum.toString(16).padStart(SUM_DIGITS, '0')}\n`;
}

const BEYOND_ASCII = /[^\0-\x7f]/g;

/** Returns JSON in ASCII, which is several times faster to read as text. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(BEYOND_ASCII, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
