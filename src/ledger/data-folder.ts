import { join, resolve } from 'node:path';
import { chmodSync, existsSync, readdirSync, statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type FolderLock, lockFolder } from '../lib/fs/folder-lock.ts';
import { makeFolder } from '../lib/fs/files.ts';
import { workerPlace } from '../storage/records/journal.ts';

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

/** The journal of one gateway: of the only one, or of a worker. */
export interface JournalPlace {
  readonly folder: string;
  /** Distinguishes its notes from those of other journals. */
  readonly place: string;
  /** Number of the worker; null = it is the only gateway of its data folder. */
  readonly worker: number | null;
}

/** Returns the place of the journal where one gateway serves a data folder. */
export function ownJournal(config: Pick<Config, 'databaseUrl' | 'nodeName' | 'dataDir'>): JournalPlace {
  return { folder: dataFiles(config.dataDir).journal, place: nodePlace(config), worker: null };
}

/** Returns the place of a worker's journal. Its folder is in the worker's own, which a lock belongs to. */
export function workerJournal(dataDir: string, worker: number): JournalPlace {
  return { folder: join(workerFolder(dataDir, worker), 'journal'), place: workerPlace(worker), worker };
}

export function workerFolder(dataDir: string, worker: number): string {
  return join(dataDir, WORKERS, String(worker));
}

/** Lists the workers that have served a data folder, also those whose number is not used any more. */
export function listWorkers(dataDir: string): number[] {
  const folder = join(dataDir, WORKERS);
  if (!existsSync(folder)) return [];
  const numbers = readdirSync(folder).filter((name) => /^[1-9]\d{0,3}$/.test(name));
  return numbers.map(Number).toSorted((a, b) => a - b);
}

/** Lists the journals in a data folder. */
export function listJournals(config: Pick<Config, 'databaseUrl' | 'nodeName' | 'dataDir'>): JournalPlace[] {
  const { dataDir, databaseUrl } = config;
  const workers = databaseUrl === null ? listWorkers(dataDir) : [];
  const all = [ownJournal(config), ...workers.map((worker) => workerJournal(dataDir, worker))];
  return all.filter(({ folder }) => existsSync(folder));
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

/** Folder with one folder for each worker. */
const WORKERS = 'workers';
const PRIVATE_FOLDER = 0o700;
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

/** Makes this process the only one of a worker. Throws `conflict` if another is. */
export function lockWorker(dataDir: string, worker: number, clock: Clock): FolderLock {
  const folder = workerFolder(dataDir, worker);
  makeFolder(join(dataDir, WORKERS), PRIVATE_FOLDER);
  const result = lockIn(folder, clock);
  if ('lock' in result) return result.lock;
  throw new TollbookError('conflict', `The folder ${folder} is in use by another process: stop that process.`);
}

function lockIn(folder: string, clock: Clock): ReturnType<typeof lockFolder> {
  try {
    makeFolder(folder, PRIVATE_FOLDER);
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
