import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { TollbookError } from '../../domain/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { ClickhouseConnection } from '../clickhouse/clickhouse-connection.ts';
import { migrateClickhouse } from '../clickhouse/clickhouse-schema.ts';
import { openPostgresDatabase, type PostgresDatabase } from '../postgres/postgres-database.ts';
import { PostgresDriver } from '../postgres/postgres-driver.ts';
import { NODE_LOCK } from '../postgres/postgres-node-lock.ts';
import { audit } from '../records/audit.ts';
import type { ResultRow } from '../sql/result-row.ts';
import type { ComparedTable, MoveProgress } from './copy-tables.ts';
import { findDifferentMonth, type MonthSums, POSTGRES_MONTHS, toMonthSums } from './month-sums.ts';
import { ENTRIES_STATE, type EntriesState, readEntriesState } from './move-state.ts';
import { MARK_MOVED, type MovedEntries, readMovedEntries } from './moved-entries.ts';
import type { Cell } from './moved-tables.ts';
import { TableChecksum } from './table-checksum.ts';

/** Calls that are copied in one insert. */
const BATCH_CALLS_MAX = 5_000;
/** Rows of ClickHouse that one query reads. */
const PAGE_ROWS_MAX = 10_000;
const CONNECTIONS = 2;
const RUNNING = `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = ${NODE_LOCK} AND objsubid = 2
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) LIMIT 1`;
const OWNER = "SELECT 1 FROM settings WHERE name = 'entries.clickhouse'";
const WRITE_STATE = `INSERT INTO settings (name, value) VALUES ('${ENTRIES_STATE}', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const COUNT = 'SELECT count(*) AS calls, count(*) FILTER (WHERE id <= $1) AS copied FROM entries';
const SENT_MONTHS = POSTGRES_MONTHS.replace('FROM entries', 'FROM entries WHERE sent = 1');
const STORED_MONTHS = `SELECT formatDateTime(started, '%Y-%m', 'UTC') AS month, toString(count()) AS calls,
  toString(sum(toInt128(cost))) AS cost, toString(sum(toInt128(input_tokens) + output_tokens)) AS tokens
  FROM entries FINAL WHERE sent = 1 AND correction = 0 GROUP BY month ORDER BY month`;
/** Columns in which ClickHouse has its rows in order. */
const KEY = ['workspace', 'started_at', 'call_id', 'correction'] as const;
const FROM_KEY = `(${KEY.join(', ')}) > ({workspace:String}, {started_at:Int64}, {call_id:String}, {correction:Int64})`;
const COLUMNS = `SELECT name FROM system.columns WHERE database = currentDatabase() AND table = 'entries'
  AND default_kind <> 'ALIAS' ORDER BY position`;
const FREED = ['entries', 'adjustments', 'unpriced'];

export interface MoveEntriesOptions {
  /** Address of the ledger. */
  readonly databaseUrl: string;
  readonly clickhouseUrl: string;
  readonly clock: Clock;
  readonly onProgress: (progress: MoveProgress) => void;
  /** Calls in one batch. Default: many. */
  readonly batchCallsMax?: number;
}

/** Calls that both databases had when the move ended. */
export interface MovedCalls {
  readonly tables: readonly ComparedTable[];
  readonly months: readonly MonthSums[];
}

/**
 * Moves the calls of a ledger and their corrections from PostgreSQL to ClickHouse. After an interruption, the next run continues:
 * a row that is inserted twice replaces itself. No service runs meanwhile.
 */
export async function moveEntries(options: MoveEntriesOptions): Promise<MovedCalls> {
  const database = await openPostgresDatabase(options.databaseUrl, CONNECTIONS);
  const connection = new ClickhouseConnection(options.clickhouseUrl);
  const reader = new PostgresDriver(database.pool);
  try {
    return await new EntriesMove(database, connection, reader, options).run();
  } finally {
    await reader.close();
    await connection.close();
    await database.close();
  }
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

  async run(): Promise<MovedCalls> {
    const state = await this.#begin();
    if (state.state === 'copying') await this.#copy(state);
    const compared = await this.#compare();
    const months = await this.#compareMonths();
    await this.#finish(state.id);
    return { tables: [compared], months };
  }

  async #begin(): Promise<EntriesState> {
    const { pool } = this.#database;
    if ((await pool.query({ text: RUNNING })).rows.length > 0)
      throw new TollbookError('conflict', 'A service runs on this database. Stop all nodes, then move.');
    const found = await readEntriesState(pool);
    if (found?.state === 'done' || (await pool.query({ text: OWNER })).rows.length > 0)
      throw new TollbookError('conflict', 'The calls of this ledger are in ClickHouse already.');
    await this.#connection.requireVersion();
    await migrateClickhouse(this.#connection);
    const state = found ?? { id: randomUUID(), state: 'copying', after: 0 };
    const owners = await this.#connection.query('SELECT DISTINCT id FROM ledger');
    if (owners.some(({ id }) => id !== state.id)) throw occupiedClickhouse();
    // First: without it, the next run would take its own rows for those of another ledger.
    await this.#write(state);
    if (owners.length === 0) await this.#connection.insert('ledger', [{ id: state.id }]);
    return state;
  }

  async #copy({ id, after: from }: EntriesState): Promise<void> {
    let after = from;
    for await (const { rows, last } of this.#batches('copy', from)) {
      await this.#connection.insert('entries', rows);
      after = last ?? after;
      await this.#write({ id, state: 'copying', after });
    }
    await this.#write({ id, state: 'copied', after });
  }

  async *#batches(step: MoveProgress['step'], from: number): AsyncGenerator<MovedEntries> {
    const { onProgress, batchCallsMax = BATCH_CALLS_MAX } = this.#options;
    const [counted] = (await this.#database.pool.query({ text: COUNT, values: [from] })).rows;
    const ofRows = Number(counted?.['calls']);
    let [after, rows] = [from, Number(counted?.['copied'])];
    for (;;) {
      const batch = await this.#reader.read(() => readMovedEntries(after, batchCallsMax));
      if (batch.last === null) return;
      yield batch;
      after = batch.last;
      rows += batch.calls;
      onProgress({ step, table: 'entries', rows, ofRows });
    }
  }

  /** Compares each row that PostgreSQL leads to with each that ClickHouse has. */
  async #compare(): Promise<ComparedTable> {
    const columns = (await this.#connection.query(COLUMNS)).map(({ name }) => String(name));
    const [here, there] = [new TableChecksum(), new TableChecksum()];
    for await (const { rows } of this.#batches('compare', 0))
      for (const row of rows) here.add(toStoredCells(row, columns));
    for await (const rows of this.#storedPages(columns)) for (const row of rows) there.add(toStoredCells(row, columns));
    if (here.rows !== there.rows || here.sum !== there.sum)
      throw differentCalls(`The calls differ (${here.rows} rows in PostgreSQL, ${there.rows} in ClickHouse).`);
    return { name: 'entries', rows: here.rows, checksum: here.sum };
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

  async #compareMonths(): Promise<MonthSums[]> {
    const here = toMonthSums(await this.#database.pool.lists({ text: SENT_MONTHS, integers: 'bigints' }));
    const there = (await this.#connection.query(STORED_MONTHS)).map(({ month, calls, cost, tokens }) => ({
      month: String(month),
      calls: BigInt(String(calls)),
      cost: BigInt(String(cost)),
      tokens: BigInt(String(tokens)),
    }));
    const month = findDifferentMonth(here, there);
    if (month !== null) throw differentCalls(`The sums of ${month} differ.`);
    return here;
  }

  /** Makes the rows in ClickHouse part of the ledger, and frees those in PostgreSQL, both or none. */
  async #finish(id: string): Promise<void> {
    await this.#database.db.transaction().execute(async (tx) => {
      await sql.raw(MARK_MOVED).execute(tx);
      await tx.insertInto('settings').values({ name: 'entries.clickhouse', value: id }).execute();
      await sql.raw(`TRUNCATE ${FREED.join(', ')}`).execute(tx);
      await audit(tx, this.#options.clock(), 'owner', {
        workspaceId: null,
        action: 'ledger.move',
        subject: 'entries',
        before: { database: 'postgres' },
        after: { database: 'clickhouse' },
      });
      const done: EntriesState = { id, state: 'done', after: 0 };
      const value = JSON.stringify(done);
      await tx.updateTable('settings').set({ value }).where('name', '=', ENTRIES_STATE).execute();
    });
  }

  async #write(state: EntriesState): Promise<void> {
    await this.#database.pool.query({ text: WRITE_STATE, values: [JSON.stringify(state)] });
  }
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
    `${what} The move is not finished, and PostgreSQL has all calls as before. Run "tollbook move --cancel", create the database of ` +
      'ClickHouse again, and move again.',
  );
}

/** Lets services use a ledger again whose calls are being moved. What ClickHouse has of it is of no use then. */
export async function cancelMoveOfEntries(databaseUrl: string): Promise<void> {
  const { pool, close } = await openPostgresDatabase(databaseUrl, 1);
  try {
    const state = await readEntriesState(pool);
    if (state === null || state.state === 'done')
      throw new TollbookError('conflict', 'The calls of this ledger are not being moved.');
    await pool.query({ text: 'DELETE FROM settings WHERE name = $1', values: [ENTRIES_STATE] });
  } finally {
    await close();
  }
}
