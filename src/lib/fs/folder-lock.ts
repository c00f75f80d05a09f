import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../clock.ts';

export interface FolderHolder {
  readonly pid: number;
  /** Epoch ms at which it took the folder. */
  readonly since: number;
}

export interface FolderLock {
  release(): void;
}

/**
 * Lock file in the data folder. Only SQLite may open it: on POSIX, closing any other handle of the process would drop
 * the lock.
 */
const LOCK_FILE = 'lock.db';
/** Two processes that start in the same instant may each push the other back once. */
const TRIES_MAX = 5;
const BUSY = 5;

/**
 * Locks a folder for this process. The lock belongs to the operating system, held by an open write transaction, so it
 * ends with the process. Returns the current holder if the folder is taken (null = it is being taken). Readers can read
 * during the transaction, which is how a second process learns about the first.
 */
export function lockFolder(folder: string, clock: Clock): { lock: FolderLock } | { holder: FolderHolder | null } {
  const db = new DatabaseSync(join(folder, LOCK_FILE));
  try {
    const held = takeLock(db, { pid: process.pid, since: clock() });
    if (held) return { lock: { release: () => db.close() } };
    const holder = readHolder(db);
    db.close();
    return { holder };
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Commits its name first, then holds the lock only if the name is unchanged. */
function takeLock(db: DatabaseSync, self: FolderHolder): boolean {
  try {
    db.exec('CREATE TABLE IF NOT EXISTS holder(pid INTEGER NOT NULL, since INTEGER NOT NULL) STRICT');
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      db.exec('BEGIN IMMEDIATE');
      const holder = readHolder(db);
      if (holder?.pid === self.pid && holder.since === self.since) return true;
      db.exec('DELETE FROM holder');
      db.prepare('INSERT INTO holder VALUES (?, ?)').run(self.pid, self.since);
      db.exec('COMMIT');
    }
    return false;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function readHolder(db: DatabaseSync): FolderHolder | null {
  try {
    const row = db.prepare('SELECT pid, since FROM holder').get();
    return row ? { pid: Number(row['pid']), since: Number(row['since']) } : null;
  } catch (error) {
    if (isBusy(error)) return null;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && Number(error.errcode) % 256 === BUSY;
}
