import { closeSync, copyFileSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { SessionFile } from './source.ts';
import type { FoundFile } from './walk-files.ts';

/** Waits this long for a program that writes the database. Then a copy is read. */
const BUSY_MS_MAX = 250;
/** Byte of the file's header that says how it is written, and its value for a write-ahead log. */
const WRITE_VERSION = 18;
const WRITE_AHEAD = 2;
const LOG_SUFFIX = '-wal';
/** SQLite's codes for a database that another program writes, or that cannot be opened in its folder. */
const BUSY_CODES: ReadonlySet<number> = new Set([5, 6, 14]);
/** Extended codes have more in their higher bytes. */
const PRIMARY_CODE = 0xff;

/** Reads an assistant's database without changing anything in its folder. While it is locked, reads a copy. */
export function readDatabaseFile<Result>(path: string, read: (db: DatabaseSync) => Result): Result {
  try {
    return readOpened(readOnlyUrl(path), read);
  } catch (error) {
    if (!isLockedOut(error)) throw error;
    return readCopy(path, read);
  }
}

/**
 * Returns a database of many sessions, with the size and time of its write-ahead log too, where new rows are at first. Its
 * calls name their session.
 */
export function toDatabaseFile({ path, inode, size, modifiedAt }: FoundFile): SessionFile {
  const log = statSync(path + LOG_SUFFIX, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 };
  const file = { path, sessionId: '', size: size + log.size, inode };
  return { ...file, modifiedAt: Math.max(modifiedAt, log.mtimeMs) };
}

/** Returns the address of a database. Without a log nothing is written now, and `immutable` keeps SQLite from creating one. */
function readOnlyUrl(path: string): URL {
  const url = pathToFileURL(path);
  if (!existsSync(path + LOG_SUFFIX) && hasWriteAheadLog(path)) url.searchParams.set('immutable', '1');
  return url;
}

function hasWriteAheadLog(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const version = Buffer.alloc(1);
    readSync(file, version, 0, version.length, WRITE_VERSION);
    return version[0] === WRITE_AHEAD;
  } finally {
    closeSync(file);
  }
}

function readOpened<Result>(location: URL | string, read: (db: DatabaseSync) => Result): Result {
  const db = new DatabaseSync(location, { readOnly: true, timeout: BUSY_MS_MAX });
  try {
    return read(db);
  } finally {
    db.close();
  }
}

function readCopy<Result>(path: string, read: (db: DatabaseSync) => Result): Result {
  const folder = mkdtempSync(join(tmpdir(), 'tollbook-sessions-'));
  try {
    const copy = join(folder, basename(path));
    copyFileSync(path, copy);
    if (existsSync(path + LOG_SUFFIX)) copyFileSync(path + LOG_SUFFIX, copy + LOG_SUFFIX);
    return readOpened(copy, read);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function isLockedOut(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && BUSY_CODES.has(Number(error.errcode) & PRIMARY_CODE);
}
