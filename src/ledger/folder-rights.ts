import { chmodSync, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DataFiles } from './files.ts';

const OTHERS_MASK = 0o077;
const PRIVATE_FILE = 0o600;
/** What SQLite keeps next to a database. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm'];

/** Says that other users of this machine can open a file or a folder, and what to do; null = they can't. */
export function openToOthers(path: string): string | null {
  if (process.platform === 'win32' || (statSync(path).mode & OTHERS_MASK) === 0) return null;
  return `${path} is open to other users of this machine; close it: chmod go= ${path}`;
}

/** Closes the files of databases to others. A process without the umask of ours may have left them open. */
export function closeDatabases({ folder, book }: Pick<DataFiles, 'folder' | 'book'>): void {
  for (const database of [book, join(folder, 'lock.db')])
    for (const file of DATABASE_SUFFIXES.map((suffix) => database + suffix))
      if (existsSync(file) && openToOthers(file) !== null) chmodSync(file, PRIVATE_FILE);
}
