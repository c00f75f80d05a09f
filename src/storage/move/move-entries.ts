import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { TollbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { ClickhouseConnection } from '../clickhouse/clickhouse-connection.ts';
import { migrateClickhouse } from '../clickhouse/clickhouse-schema.ts';
import { openPostgresDatabase, type PostgresDatabase } from '../postgres/postgres-database.ts';
import { PostgresDriver } from '../postgres/postgres-driver.ts';
import type { PostgresQueries } from '../postgres/postgres-pool.ts';
import { NODE_LOCK } from '../postgres/postgres-node-lock.ts';
import { audit } from '../records/audit.ts';
import { number, type ResultRow } from '../sql/result-row.ts';
import type { ComparedLedger, ComparedTable, MoveProgress } from './copy-tables.ts';
import { type MonthSums, MonthTally } from './month-sums.ts';
import { ENTRIES_STATE, type EntriesState, readEntriesState } from './move-state.ts';
import { MARK_MOVED, type MovedEntries, readMovedEntries } from './moved-entries.ts';
import type { Cell } from './moved-tables.ts';
import { TableChecksum } from './table-checksum.ts';

/** Calls that are copied in one insert. */
const BATCH_CALLS_MAX = 5_000;
/** Rows of ClickHouse that one query reads. */
const PAGE_ROWS_MAX = 10_000;
/** One has the lock, one reads, one writes. */
const CONNECTIONS = 3;
/** Advisory lock of a move of entries. */
const MOVE_LOCK = 7_419;
const TAKE_LOCK = `SELECT pg_try_advisory_lock(${MOVE_LOCK}) AS taken`;
const RUNNING = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${NODE_LOCK} AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`;
const OWNER = "SELECT 1 FROM settings WHERE name = 'entries.clickhouse'";
const WRITE_STATE = `INSERT INTO settings (name, value) VALUES ('${ENTRIES_STATE}', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
/** Partitions have a month each: one question for all of them could take longer than a statement may. */
const PARTITIONS = `SELECT relid::regclass::text AS name, pg_total_relation_size(relid) AS bytes
  FROM pg_partition_tree('entries') WHERE isleaf`;
/** Columns in which ClickHouse has its rows in order. */
const KEY = ['workspace', 'started_at', 'call_id', 'correction'] as const;
/** ClickHouse reads all rows before a key if it is compared as a tuple only. */
const FROM_KEY = `workspace >= {workspace:String} AND (workspace > {workspace:String} OR started_at >= {started_at:Int64})
  AND (${KEY.join(', ')}) > ({workspace:String}, {started_at:Int64}, {call_id:String}, {correction:Int64})`;
const COLUMNS = `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'entries'
  AND default_kind <> 'ALIAS' ORDER BY position`;
const FREED = ['entries', 'adjustments', 'unpriced'];

export interface MoveEntriesOptions {
  /** Address of the ledger. */
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
  readonly clock: Clock;
  /** Is called after each batch; the move waits for its end. */
  readonly onProgress: (progress: MoveProgress) => void | Promise<void>;
  /** Calls in one batch. Default: many. */
  readonly batchCallsMax?: number;
}

/** Calls that would be moved. */
export interface EntriesPlan {
  readonly calls: number;
  /** Bytes of calls and their indexes in PostgreSQL. */
  readonly bytes: number;
}

/**
 * Moves the calls of a ledger and their corrections from PostgreSQL to ClickHouse. After an interruption, the next run continues:
 * a row that is inserted twice replaces itself. No service runs meanwhile.
 */
export async function moveEntries(options: MoveEntriesOptions): Promise<ComparedLedger> {
  return await withMoveLock(options.databaseUrl, async (database) => {
    const connection = new ClickhouseConnection(options.clickhouseUrl);
    const reader = new PostgresDriver(database.pool);
    try {
      return await new EntriesMove(database, connection, reader, options).run();
    } finally {
      await reader.close();
      await connection.close();
    }
  });
}

/** Runs `work` unless another process moves the entries of this database. */
async function withMoveLock<Result>(
  databaseUrl: string,
  work: (database: PostgresDatabase) => Promise<Result>,
): Promise<Result> {
  const database = await openPostgresDatabase(databaseUrl, CONNECTIONS);
  try {
    const owner = await database.pool.connect();
    try {
      const [lock] = (await owner.query({ text: TAKE_LOCK })).rows;
      if (lock?.['taken'] !== true)
        throw new TollbookError(
          'conflict',
          'Another "tollbook move --entries-to" runs on this database. Wait for its end.',
        );
      return await work(database);
    } finally {
      // The lock ends with its connection.
      owner.breakOff();
      owner.release();
    }
  } finally {
    await database.close();
  }
}

/** Returns what a move of entries would copy. Changes nothing; services may run. */
export async function planEntriesMove(databaseUrl: string): Promise<EntriesPlan> {
  const { pool, close } = await openPostgresDatabase(databaseUrl, 1);
  try {
    await refuseMovedEntries(pool);
    const partitions = (await pool.query({ text: PARTITIONS })).rows;
    const bytes = partitions.reduce((sum, one) => sum + Number(one['bytes']), 0);
    return { calls: await countEntries(pool), bytes };
  } finally {
    await close();
  }
}

/** Counts the entries up to a number; absent = all. */
async function countEntries(queries: PostgresQueries, last?: number): Promise<number> {
  let entries = 0;
  for (const { name } of (await queries.query({ text: PARTITIONS })).rows) {
    const text = `SELECT count(*) AS entries FROM ${String(name)} ${last === undefined ? '' : 'WHERE id <= $1'}`;
    const [row] = (await queries.query({ text, values: last === undefined ? [] : [last] })).rows;
    entries += Number(row?.['entries']);
  }
  return entries;
}

/** Throws `conflict` if the entries of this database are in ClickHouse. */
async function refuseMovedEntries(queries: PostgresQueries): Promise<void> {
  const state = await readEntriesState(queries);
  if (state?.state === 'done' || (await queries.query({ text: OWNER })).rows.length > 0)
    throw new TollbookError('conflict', 'The calls of this ledger are in ClickHouse already.');
}

async function refuseRunningService(queries: PostgresQueries): Promise<void> {
  if ((await queries.query({ text: RUNNING })).rows.length > 0)
    throw new TollbookError('conflict', 'A service runs on this database. Stop all nodes, then move.');
}

class EntriesMove {
  readonly #database: PostgresDatabase;
  readonly #connection: ClickhouseConnection;
  readonly #reader: PostgresDriver;
  readonly #options: MoveEntriesOptions;

  constructor(
    database: PostgresDatabase,
    connection: ClickhouseConnection,
    reader: PostgresDriver,
    options: MoveEntriesOptions,
  ) {
    this.#database = database;
    this.#connection = connection;
    this.#reader = reader;
    this.#options = options;
  }

  async run(): Promise<ComparedLedger> {
    const state = await this.#begin();
    const last = state.state === 'copying' ? await this.#copy(state) : state.after;
    const { table, months, lastCorrection } = await this.#compare();
    await this.#finish({ id: state.id, state: 'copied', after: last }, lastCorrection);
    return { tables: [table], months };
  }

  async #begin(): Promise<EntriesState> {
    const { pool } = this.#database;
    await refuseRunningService(pool);
    await refuseMovedEntries(pool);
    await this.#connection.requireVersion();
    await migrateClickhouse(this.#connection);
    const state = (await readEntriesState(pool)) ?? { id: randomUUID(), state: 'copying', after: 0 };
    const owners = await this.#connection.query('SELECT DISTINCT id FROM ledger');
    if (owners.some(({ id }) => id !== state.id)) throw occupiedClickhouse();
    if (owners.length === 0 && state.after > 0) throw otherClickhouse();
    // First: without it, the next run would take its own rows for those of another ledger.
    await this.#write(state);
    if (owners.length === 0) await this.#connection.insert('ledger', [{ id: state.id }]);
    return state;
  }

  /** Returns the number of the last call. */
  async #copy({ id, after: from }: EntriesState): Promise<number> {
    let after = from;
    for await (const { rows, last } of this.#batches('copy', from)) {
      await this.#connection.insert('entries', rows);
      after = last ?? after;
      await this.#write({ id, state: 'copying', after });
    }
    await this.#write({ id, state: 'copied', after });
    return after;
  }

  async *#batches(step: MoveProgress['step'], from: number): AsyncGenerator<MovedEntries> {
    const { onProgress, batchCallsMax = BATCH_CALLS_MAX } = this.#options;
    const { pool } = this.#database;
    const ofRows = await countEntries(pool);
    let [after, rows] = [from, from === 0 ? 0 : await countEntries(pool, from)];
    for (;;) {
      const batch = await this.#reader.read(() => readMovedEntries(after, batchCallsMax));
      if (batch.last === null) return;
      yield batch;
      after = batch.last;
      rows += batch.calls;
      await onProgress({ step, table: 'entries', rows, ofRows });
    }
  }

  /** Compares each row that PostgreSQL leads to with each that ClickHouse has. */
  async #compare(): Promise<ComparedEntries> {
    const columns = (await this.#connection.query(COLUMNS)).map(({ name }) => String(name));
    const [here, there, tally] = [new TableChecksum(), new TableChecksum(), new MonthTally()];
    let lastCorrection = 0;
    for await (const { rows } of this.#batches('compare', 0))
      for (const row of rows) {
        here.add(toStoredCells(row, columns));
        lastCorrection = Math.max(lastCorrection, Number(row['correction']));
      }
    for await (const rows of this.#storedPages(columns))
      for (const row of rows) {
        there.add(toStoredCells(row, columns));
        addToMonth(tally, row);
      }
    if (here.rows !== there.rows || here.sum !== there.sum)
      throw differentCalls(`The calls differ (${here.rows} rows in PostgreSQL, ${there.rows} in ClickHouse).`);
    return { table: { name: 'entries', rows: here.rows, checksum: here.sum }, months: tally.months(), lastCorrection };
  }

  async *#storedPages(columns: readonly string[]): AsyncGenerator<readonly ResultRow[]> {
    const select = `SELECT ${columns.join(', ')} FROM entries FINAL`;
    const order = `ORDER BY ${KEY.join(', ')} LIMIT ${PAGE_ROWS_MAX}`;
    let last: ResultRow | undefined;
    do {
      const key = last && {
        workspace: String(last['workspace']),
        started_at: Number(last['started_at']),
        call_id: String(last['call_id']),
        correction: Number(last['correction']),
      };
      const page = await this.#connection.query(`${select} ${key ? `WHERE ${FROM_KEY}` : ''} ${order}`, key ?? {});
      yield page;
      last = page.at(-1);
    } while (last);
  }

  /**
   * Makes the rows in ClickHouse part of the ledger, and frees those in PostgreSQL, both or none. Throws `conflict` if the
   * move was canceled, or PostgreSQL has more than was compared.
   */
  async #finish(copied: EntriesState, lastCorrection: number): Promise<void> {
    await this.#database.db.transaction().execute(async (tx) => {
      if ((await sql.raw(RUNNING).execute(tx)).rows.length > 0) throw changedMeanwhile('A service runs.');
      const state = await tx
        .selectFrom('settings')
        .select('value')
        .where('name', '=', ENTRIES_STATE)
        .forUpdate()
        .executeTakeFirst();
      if (state?.value !== JSON.stringify(copied)) throw changedMeanwhile('The move was canceled.');
      const more = await sql<{ found: number }>`SELECT 1 AS found FROM entries WHERE id > ${copied.after}
        UNION ALL SELECT 1 FROM adjustments WHERE id > ${lastCorrection} LIMIT 1`.execute(tx);
      if (more.rows.length > 0) throw changedMeanwhile('PostgreSQL has got more calls.');
      await sql.raw(MARK_MOVED).execute(tx);
      await tx.insertInto('settings').values({ name: 'entries.clickhouse', value: copied.id }).execute();
      await sql.raw(`TRUNCATE ${FREED.join(', ')}`).execute(tx);
      await audit(tx, this.#options.clock(), 'owner', {
        workspaceId: null,
        action: 'ledger.move',
        subject: 'entries',
        before: { database: 'postgres' },
        after: { database: 'clickhouse' },
      });
      const done: EntriesState = { id: copied.id, state: 'done', after: 0 };
      const value = JSON.stringify(done);
      await tx.updateTable('settings').set({ value }).where('name', '=', ENTRIES_STATE).execute();
    });
  }

  async #write(state: EntriesState): Promise<void> {
    await this.#database.pool.query({ text: WRITE_STATE, values: [JSON.stringify(state)] });
  }
}

interface ComparedEntries {
  readonly table: ComparedTable;
  readonly months: readonly MonthSums[];
  /** Number of the last correction; 0 = there is none. */
  readonly lastCorrection: number;
}

/** Adds a row of ClickHouse to the sums of its month; corrections and calls that were not sent have no part in them. */
function addToMonth(tally: MonthTally, row: ResultRow): void {
  if (row['sent'] !== 1 || row['correction'] !== 0) return;
  const tokens = number(row, 'input_tokens') + number(row, 'output_tokens');
  tally.add(number(row, 'started_at'), BigInt(number(row, 'cost')), BigInt(tokens));
}

/** Returns the values of a row. The order of tags is no part of them. */
function toStoredCells(row: ResultRow, columns: readonly string[]): Cell[] {
  return columns.map((column) => {
    const value = row[column] ?? null;
    if (typeof value !== 'object' || value === null) return value as Cell;
    return JSON.stringify(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function occupiedClickhouse(): TollbookError {
  return new TollbookError(
    'conflict',
    'The database of ClickHouse has the calls of another ledger. Create a new one, and name that.',
    'SVC_CLICKHOUSE_URL',
  );
}

function differentCalls(what: string): TollbookError {
  return new TollbookError(
    'conflict',
    `${what} The move is not finished, and PostgreSQL has all calls as before. Run "tollbook move --entries-to --cancel", ` +
      'create the database of ClickHouse again, and move again.',
  );
}

function changedMeanwhile(what: string): TollbookError {
  return new TollbookError(
    'conflict',
    `${what} The move is not finished, and PostgreSQL has all calls. Stop all nodes, and move into a new database of ClickHouse.`,
  );
}

function otherClickhouse(): TollbookError {
  return new TollbookError(
    'conflict',
    'This database of ClickHouse is empty, but a move into another one has begun. Name that one, or give it up: tollbook move --entries-to --cancel',
    'SVC_CLICKHOUSE_URL',
  );
}

/** Lets services use a ledger again whose calls are being moved. What ClickHouse has of it is of no use then. */
export async function cancelMoveOfEntries(databaseUrl: string): Promise<void> {
  await withMoveLock(databaseUrl, async ({ pool }) => {
    const state = await readEntriesState(pool);
    if (state === null || state.state === 'done')
      throw new TollbookError('conflict', 'The calls of this ledger are not being moved.');
    await pool.query({ text: 'DELETE FROM settings WHERE name = $1', values: [ENTRIES_STATE] });
  });
}
