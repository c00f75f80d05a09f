import { join, resolve } from 'node:path';
import { chmodSync, existsSync, statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type FolderLock, lockFolder } from '../lib/fs/folder-lock.ts';
import { makeFolder } from '../lib/fs/files.ts';

/** Files of a data folder. */
export interface DataFiles {
  readonly folder: string;
  /** Written by the ledger thread only. */
  readonly database: string;
  /** A folder, written by the gateway thread only. */
  readonly journal: string;
  readonly providers: string;
  /** The last prices that were fetched. */
  readonly prices: string;
  readonly secret: string;
}

export function dataFiles(folder: string): DataFiles {
  return {
    folder,
    database: join(folder, 'ledger.db'),
    journal: join(folder, 'journal'),
    providers: join(folder, 'providers.json'),
    prices: join(folder, 'prices.json'),
    secret: join(folder, 'secret'),
  };
}

/** Returns where the ledger is: at an address, or in a file of the data folder. */
export function databasePlace({
  databaseUrl,
  secret,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'secret' | 'dataDir'>): Pick<Config, 'databaseUrl' | 'secret'> & { file: string } {
  return { databaseUrl, secret, file: dataFiles(dataDir).database };
}

/** Returns what distinguishes this node's notes in a database that others may use; '' = no other uses its database. */
export function nodePlace({
  databaseUrl,
  nodeName,
  dataDir,
}: Pick<Config, 'databaseUrl' | 'nodeName' | 'dataDir'>): string {
  return databaseUrl === null ? '' : `${nodeName} ${resolve(dataDir)}`;
}

const OTHERS_MASK = 0o077;
const PRIVATE_FILE = 0o600;
/** Suffixes of the files that SQLite keeps next to a database. */
const DATABASE_SUFFIXES = ['', '-wal', '-shm'];

/** Returns a warning with advice if other users of this machine can open a file or folder; null = they can't. */
export function openToOthers(path: string): string | null {
  if (process.platform === 'win32' || (statSync(path).mode & OTHERS_MASK) === 0) return null;
  return `${path} is open to other users of this machine; close it: chmod go= ${path}`;
}

/** Removes the rights of others on database files. A process with another umask may have created them. */
function closeDatabases({ folder, database }: Pick<DataFiles, 'folder' | 'database'>): void {
  for (const path of [database, join(folder, 'lock.db')])
    for (const file of DATABASE_SUFFIXES.map((suffix) => path + suffix))
      if (existsSync(file) && openToOthers(file) !== null) chmodSync(file, PRIVATE_FILE);
}

/**
 * Makes this process the owner of the data folder, which is created if missing. Throws `conflict` naming the current
 * owner, or `unprocessable` if the folder is not writable.
 */
export function ownFolder(folder: string, clock: Clock): FolderLock {
  const result = lockIn(folder, clock);
  if ('lock' in result) return result.lock;
  const { holder } = result;
  const owner = holder ? `process ${holder.pid} since ${new Date(holder.since).toISOString()}` : 'another process';
  throw new TollbookError(
    'conflict',
    `The data folder ${folder} is in use by ${owner}: stop that process, or set SVC_DATA_DIR to another folder.`,
  );
}

function lockIn(folder: string, clock: Clock): ReturnType<typeof lockFolder> {
  try {
    makeFolder(folder, 0o700);
    closeDatabases(dataFiles(folder));
    return lockFolder(folder, clock);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TollbookError(
      'unprocessable',
      `The data folder ${folder} can't be used (${reason}): make it writable for this user, or set SVC_DATA_DIR to another.`,
    );
  }
}
