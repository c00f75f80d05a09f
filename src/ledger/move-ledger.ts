import { existsSync, statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type ComparedLedger,
  compareTables,
  copyTables,
  type MoveProgress,
  type MoveSides,
} from '../storage/move/copy-tables.ts';
import { finishMove } from '../storage/move/finish-move.ts';
import { PostgresTarget } from '../storage/move/postgres-target.ts';
import type { MonthSums } from '../storage/move/month-sums.ts';
import { SqliteSource } from '../storage/move/sqlite-source.ts';
import { fitsSecret } from '../storage/records/master-secret.ts';
import { requireSharedSecret } from '../storage/require-secret.ts';
import { openDatabase } from '../storage/sqlite/open-database.ts';
import { dataFiles, nodePlace, ownFolder } from './data-folder.ts';
import { drainWorkers } from './drain-journal.ts';
import { openLedger } from './ledger.ts';
import { shipLeftovers } from './offline.ts';

export interface MoveOptions {
  /** Its `databaseUrl` is the new database; its data folder has the ledger, and keeps its journal. */
  readonly config: Config & { readonly databaseUrl: string };
  readonly clock: Clock;
  readonly log: Log;
  readonly onProgress: (progress: MoveProgress) => void;
}

/** A ledger that would be moved. */
export interface MovePlan {
  /** Bytes of the ledger file. */
  readonly bytes: number;
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
  readonly months: readonly MonthSums[];
}

/**
 * Moves the ledger of a data folder to PostgreSQL. After an interruption, the next run continues. No service runs on the folder
 * meanwhile. The journal stays where it is, with calls that the ledger did not have.
 */
export async function moveLedger(options: MoveOptions): Promise<ComparedLedger> {
  const { config, clock } = options;
  requireSharedSecret(config.secret);
  const file = requireLedgerFile(config);
  const lock = ownFolder(config.dataDir, clock);
  try {
    if (!isMoving(file)) await shipJournal(options);
    return await withSides(file, options, (sides) => copyLedger(sides, options));
  } finally {
    lock.release();
  }
}

function requireLedgerFile({ dataDir }: Config): string {
  const file = dataFiles(dataDir).database;
  if (existsSync(file)) return file;
  throw new TollbookError(
    'not_found',
    `There is no ledger in ${dataDir}: set SVC_DATA_DIR to the data folder of the service that is to be moved.`,
  );
}

function isMoving(file: string): boolean {
  const source = new SqliteSource(file);
  try {
    return source.note !== null;
  } finally {
    source.close();
  }
}

/** Brings the ledger up to date: its schema, and the calls that are only in the journal. */
async function shipJournal({ config, clock, log }: MoveOptions): Promise<void> {
  const alone = { ...config, databaseUrl: null, clickhouseUrl: null };
  const secret = (await isSealedWith(config)) ? config.secret : null;
  const ledger = await openLedger({ config: { ...alone, secret }, clock, log });
  try {
    await shipLeftovers(ledger, alone, log);
    // No node of the new database will have these journals.
    await drainWorkers({ ledger, config: alone, clock, log });
  } finally {
    await ledger.close();
  }
}

/** Returns true if SVC_SECRET is the secret of the ledger file. */
async function isSealedWith({ dataDir, secret }: Config): Promise<boolean> {
  const { db, close } = await openDatabase(dataFiles(dataDir).database);
  try {
    return await fitsSecret(db, secret ?? '');
  } finally {
    await close();
  }
}

async function withSides<Result>(
  file: string,
  { config, onProgress }: MoveOptions,
  work: (sides: MoveSides) => Promise<Result>,
): Promise<Result> {
  const source = new SqliteSource(file);
  try {
    const target = await PostgresTarget.open(config.databaseUrl);
    try {
      return await work({ source, target, onProgress });
    } finally {
      await target.close();
    }
  } finally {
    source.close();
  }
}

async function copyLedger(sides: MoveSides, { config, clock }: MoveOptions): Promise<ComparedLedger> {
  const { source, target } = sides;
  const noted = source.note;
  const found = await target.requireOwn(noted?.id ?? null, source.tables);
  if (noted?.state === 'moved' && found?.state !== 'copied') throw alreadyMoved();
  const note = source.begin();
  const state = found ?? (await target.begin(note.id, source.tables));
  if (state.state === 'copying') await copyTables(sides, state);
  const compared = await compareTables(sides);
  // First: the file is given up before a service can open the new database.
  source.end(note);
  const place = nodePlace(config);
  await finishMove(sides, { id: note.id, dataDir: config.dataDir, secret: config.secret ?? '', place, clock });
  return compared;
}

function alreadyMoved(): TollbookError {
  return new TollbookError(
    'conflict',
    'The ledger of this data folder was moved already. To use the ledger in the folder again: tollbook move --cancel',
  );
}

/** Returns what a move would copy. Changes nothing; a service may run. */
export function planMove(config: Config): MovePlan {
  const file = requireLedgerFile(config);
  const source = new SqliteSource(file, { readOnly: true });
  try {
    const tables = source.tables.map((table) => ({ name: table.name, rows: source.count(table) }));
    return { bytes: statSync(file).size, tables, months: source.months() };
  } finally {
    source.close();
  }
}

/** Lets a ledger be used again that is being moved, or was. */
export function cancelMove(config: Config, clock: Clock): void {
  const file = requireLedgerFile(config);
  const lock = ownFolder(config.dataDir, clock);
  const source = new SqliteSource(file);
  try {
    if (source.note === null)
      throw new TollbookError('conflict', 'The ledger of this data folder is not being moved, and was not.');
    source.cancel();
  } finally {
    source.close();
    lock.release();
  }
}
