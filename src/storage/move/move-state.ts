import type { DatabaseSync } from 'node:sqlite';
import { TollbookError } from '../../domain/errors.ts';
import type { PostgresQueries } from '../postgres/postgres-pool.ts';
import { MOVE_SETTINGS } from './moved-tables.ts';

/** Setting of a ledger file that is being moved, or was. */
export const MOVE_NOTE = `${MOVE_SETTINGS}source`;
const READ_NOTE = 'SELECT value FROM settings WHERE name = ?';
/** Setting of a database with the state of the move that fills it, or did. */
export const TARGET_STATE = `${MOVE_SETTINGS}target`;
/** Setting of a database with the state of the move of its entries to ClickHouse. */
export const ENTRIES_STATE = `${MOVE_SETTINGS}entries`;
const READ_STATE = 'SELECT value FROM settings WHERE name = $1';

/** Move of a ledger out of its file. */
export interface MoveNote {
  readonly id: string;
  readonly state: 'moving' | 'moved';
}

/** Throws `unavailable` if the ledger of this file is being moved, or was: only one of two ledgers may be in use. */
export function refuseMovedLedger(sqlite: DatabaseSync): void {
  const note = readMoveNote(sqlite);
  if (note === null) return;
  const [what, remedy] =
    note.state === 'moved'
      ? ['was moved to PostgreSQL', 'Set SVC_DATABASE_URL and SVC_SECRET as for the move.']
      : ['is being moved to PostgreSQL', 'Run "tollbook move" again: it continues where it stopped.'];
  throw new TollbookError(
    'unavailable',
    `The ledger of this data folder ${what}. ${remedy} To use the ledger in the folder again: tollbook move --cancel`,
  );
}

export function readMoveNote(sqlite: DatabaseSync): MoveNote | null {
  const value = sqlite.prepare(READ_NOTE).get(MOVE_NOTE)?.['value'];
  return typeof value === 'string' ? (JSON.parse(value) as MoveNote) : null;
}

/** State of a move in the database that it fills. */
export interface TargetState {
  /** Id of the move, which the ledger file has too. */
  readonly id: string;
  readonly state: 'copying' | 'copied' | 'done';
  /** Table that is copied; those before it are complete. */
  readonly table: string;
  /** Key of its last row here, integers as text; null = it has none. */
  readonly after: readonly (string | null)[] | null;
}

/** State of a move of entries to ClickHouse. */
export interface EntriesState {
  /** Id of the ledger in ClickHouse. */
  readonly id: string;
  readonly state: 'copying' | 'copied' | 'done';
  /** Number of the last entry that is in ClickHouse. */
  readonly after: number;
}

/** Throws `unavailable` if a move into this database, or of its entries, is not finished. */
export async function refuseUnfinishedMove(queries: PostgresQueries): Promise<void> {
  if (isUnfinished(await readTargetState(queries)))
    throw new TollbookError(
      'unavailable',
      'This database is being filled by "tollbook move", which is not finished. Run it again: it continues where it stopped.',
      'SVC_DATABASE_URL',
    );
  if (isUnfinished(await readEntriesState(queries)))
    throw new TollbookError(
      'unavailable',
      'The calls of this ledger are being moved to ClickHouse, which is not finished. Run "tollbook move --entries-to" again: ' +
        'it continues where it stopped.',
      'SVC_CLICKHOUSE_URL',
    );
}

function isUnfinished(state: Pick<TargetState, 'state'> | null): boolean {
  return state !== null && state.state !== 'done';
}

export async function readTargetState(queries: PostgresQueries): Promise<TargetState | null> {
  const value = await readSettingValue(queries, TARGET_STATE);
  return value === null ? null : (JSON.parse(value) as TargetState);
}

export async function readEntriesState(queries: PostgresQueries): Promise<EntriesState | null> {
  const value = await readSettingValue(queries, ENTRIES_STATE);
  return value === null ? null : (JSON.parse(value) as EntriesState);
}

async function readSettingValue(queries: PostgresQueries, name: string): Promise<string | null> {
  const [row] = (await queries.query({ text: READ_STATE, values: [name] })).rows;
  return row ? String(row['value']) : null;
}
