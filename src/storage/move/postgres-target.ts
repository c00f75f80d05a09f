import { TollbookError } from '../../domain/errors.ts';
import { createPartitions } from '../postgres/entry-partitions.ts';
import { openPostgresDatabase, type PostgresDatabase } from '../postgres/postgres-database.ts';
import type { PostgresQueries } from '../postgres/postgres-pool.ts';
import { buildInsert, toColumns } from '../postgres/postgres-sql.ts';
import { runTransaction } from '../postgres/postgres-transaction.ts';
import { RECORDS_LOCK } from '../postgres/record-dialect.ts';
import type { RecordTransaction } from '../records/tables.ts';
import { type Cell, type CellKind, followingRows, type MovedTable, quoteIdentifier, keyCells } from './moved-tables.ts';
import { readTargetState, TARGET_STATE, type TargetState } from './move-state.ts';
import type { MonthSums } from './month-sums.ts';

/** One writes; the other reads to compare. */
const CONNECTIONS = 2;
/** Months with a partition of their own; entries of earlier ones share one. */
const PARTITIONS_MAX = 240;
const WRITE_STATE = `INSERT INTO settings (name, value) VALUES ('${TARGET_STATE}', $1)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const TYPES: Readonly<Record<CellKind, string>> = { integer: 'bigint', real: 'double precision', text: 'text' };
const NUMBERED = `SELECT table_name, column_name FROM information_schema.columns
  WHERE table_schema = current_schema() AND is_identity = 'YES' AND table_name = ANY ($1)`;

/** A PostgreSQL database that a move fills. */
export class PostgresTarget {
  readonly #database: PostgresDatabase;

  private constructor(database: PostgresDatabase) {
    this.#database = database;
  }

  /** Connects, and creates the tables of an empty database. */
  static async open(url: string): Promise<PostgresTarget> {
    return new PostgresTarget(await openPostgresDatabase(url, CONNECTIONS));
  }

  get db(): PostgresDatabase['db'] {
    return this.#database.db;
  }

  async state(): Promise<TargetState | null> {
    return await readTargetState(this.#database.pool);
  }

  /** Throws `conflict` if the database has a ledger, or another move fills it. */
  async requireOwn(id: string | null, tables: readonly MovedTable[]): Promise<TargetState | null> {
    const state = await this.state();
    if (state !== null && state.id === id) return state;
    if (state !== null) throw occupied('Another ledger is being moved, or was moved, into this database.');
    for (const { name } of tables) {
      const { rows } = await this.#database.pool.query({ text: `SELECT 1 FROM ${quoteIdentifier(name)} LIMIT 1` });
      if (rows.length > 0) throw occupied(`The database has a ledger of its own: its table ${name} is not empty.`);
    }
    return null;
  }

  /** Notes that the move begins. No service opens the database until it is done. */
  async begin(id: string, [first]: readonly MovedTable[]): Promise<TargetState> {
    const state: TargetState = { id, state: 'copying', table: first?.name ?? '', after: null };
    await runTransaction(this.#database.pool, (queries) => writeState(queries, state), { lock: RECORDS_LOCK });
    return state;
  }

  /** Creates the partitions of entries of these months. */
  async prepareMonths(months: readonly MonthSums[]): Promise<void> {
    const starts = months.slice(-PARTITIONS_MAX).map(({ month }) => Date.parse(`${month}-01T00:00:00Z`));
    await createPartitions(this.#database.pool, starts);
  }

  /** Inserts rows and moves the state behind them, both or none. */
  async insert(id: string, table: MovedTable, rows: readonly (readonly Cell[])[]): Promise<void> {
    const columns = table.columns.map(({ name }) => quoteIdentifier(name));
    const types = table.columns.map(({ kind }) => TYPES[kind]);
    const insert = { table: quoteIdentifier(table.name), columns, keyColumns: 0, onConflict: '', returning: [] };
    const text = buildInsert(insert, types);
    const values = toColumns(rows, columns.length);
    const after = keyCells(table, rows.at(-1) ?? []).map((cell) => (cell === null ? null : String(cell)));
    await runTransaction(this.#database.pool, async (queries) => {
      await queries.query({ text, values });
      await writeState(queries, { id, state: 'copying', table: table.name, after });
    });
  }

  /** Notes that all rows are here. */
  async noteCopied(id: string): Promise<void> {
    await writeState(this.#database.pool, { id, state: 'copied', table: '', after: null });
  }

  /** Returns the next rows after a key; null = the first. */
  async read(table: MovedTable, after: readonly Cell[] | null, limit: number): Promise<readonly (readonly Cell[])[]> {
    const kinds = table.key.map((index) => table.columns[index]?.kind ?? 'text');
    const places = after && kinds.map((kind, index) => `$${index + 1}::${TYPES[kind]}`);
    const query = { text: followingRows(table, places, limit), values: after ?? [], integers: 'bigints' } as const;
    return (await this.#database.pool.lists(query)) as readonly (readonly Cell[])[];
  }

  /** Lets new rows have the numbers after the moved ones. */
  async continueNumbers(tables: readonly MovedTable[]): Promise<void> {
    const { pool } = this.#database;
    const numbered = await pool.lists({ text: NUMBERED, values: [tables.map(({ name }) => name)] });
    for (const [table, column] of numbered) {
      const last = `(SELECT max(${quoteIdentifier(String(column))}) FROM ${quoteIdentifier(String(table))})`;
      await pool.query({
        text: `SELECT setval(pg_get_serial_sequence($1, $2), ${last}) WHERE ${last} IS NOT NULL`,
        values: [quoteIdentifier(String(table)), String(column)],
        integers: 'bigints',
      });
    }
  }

  /** Lets the server count the rows, which it does not do until later: reports take many times as long before. */
  async countForPlans(tables: readonly MovedTable[]): Promise<void> {
    for (const { name } of tables) await this.#database.pool.query({ text: `ANALYZE ${quoteIdentifier(name)}` });
  }

  async close(): Promise<void> {
    await this.#database.close();
  }
}

async function writeState(queries: PostgresQueries, state: TargetState): Promise<void> {
  await queries.query({ text: WRITE_STATE, values: [JSON.stringify(state)] });
}

/** Notes the end of a move in the transaction that completes the database. */
export async function noteMoveDone(tx: RecordTransaction, id: string): Promise<void> {
  const state: TargetState = { id, state: 'done', table: '', after: null };
  await tx
    .updateTable('settings')
    .set({ value: JSON.stringify(state) })
    .where('name', '=', TARGET_STATE)
    .execute();
}

function occupied(sentence: string): TollbookError {
  return new TollbookError('conflict', `${sentence} Create a new database, and name that one.`, 'SVC_DATABASE_URL');
}
