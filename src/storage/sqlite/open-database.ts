import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteDialect, type SqliteDatabase, type SqliteStatement } from 'kysely';
import { TollbookError } from '../../domain/errors.ts';
import { migrate } from '../migrations/migrate.ts';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite.ts';
import type { RecordTables } from '../records/tables.ts';

const BUSY_MS_MAX = 5_000;
/** Lists of ids create statements of many lengths; the oldest are dropped. */
const STATEMENTS_KEPT_MAX = 200;
/** The text that Kysely sends. */
const ROLLBACK = 'rollback';
/**
 * SQLite rolls back by itself when the disk is full. A second rollback would fail, and its error would hide the
 * first.
 */
const NOTHING_CHANGED = { changes: 0, lastInsertRowid: 0 };

export interface OpenDatabase {
  readonly db: Kysely<RecordTables>;
  /**
   * The same connection. Before writing through it, wait until no record transaction is open, as
   * `SqliteConnection.transaction` does.
   */
  readonly sqlite: DatabaseSync;
  close(): Promise<void>;
}

/** Opens the SQLite file of the ledger and migrates it. Throws a `TollbookError` that says what to do. */
export async function openDatabase(file: string): Promise<OpenDatabase> {
  const sqlite = openSqlite(file);
  const db = new Kysely<RecordTables>({ dialect: createDialect(sqlite) });
  const close = async (): Promise<void> => {
    await db.destroy();
    if (sqlite.isOpen) sqlite.close();
  };
  try {
    await migrate(db, SQLITE_MIGRATIONS);
  } catch (error) {
    await close();
    throw error;
  }
  return { db, sqlite, close };
}

function openSqlite(file: string): DatabaseSync {
  try {
    const sqlite = new DatabaseSync(file, { timeout: BUSY_MS_MAX, enableForeignKeyConstraints: true });
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    return sqlite;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TollbookError(
      'unavailable',
      `${file} can't be opened as a database (${reason}). Check the rights of its folder, or restore a backup.`,
    );
  }
}

/** SQLite supports transactions for schema changes; Kysely's adapter does not use this. */
class TransactionalDdl extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class CachingDialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalDdl();
  }
}

function createDialect(sqlite: DatabaseSync): CachingDialect {
  return new CachingDialect({ database: cachingDatabase(sqlite) });
}

/** Returns a driver for Kysely that caches prepared statements. */
function cachingDatabase(sqlite: DatabaseSync): SqliteDatabase {
  const kept = new Map<string, SqliteStatement>();
  return {
    close: () => {
      kept.clear();
      sqlite.close();
    },
    prepare(text) {
      const found = kept.get(text);
      if (found) return found;
      const statement = sqlite.prepare(text);
      const columns = statement.columns().map(({ name }) => name);
      // Rows as lists are read in a quarter of the time.
      statement.setReturnArrays(true);
      const made: SqliteStatement = {
        reader: columns.length > 0,
        all: (parameters) => statement.all(...inputs(parameters)).map((values) => zipRow(columns, values)),
        run: (parameters) =>
          text === ROLLBACK && !sqlite.isTransaction ? NOTHING_CHANGED : statement.run(...inputs(parameters)),
        *iterate(parameters) {
          for (const values of statement.iterate(...inputs(parameters))) yield zipRow(columns, values);
        },
      };
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= STATEMENTS_KEPT_MAX) kept.delete(oldest);
      kept.set(text, made);
      return made;
    },
  };
}

/** Builds an object from a row. `values` is a list, although its type has field names. */
function zipRow(columns: readonly string[], values: Readonly<Record<number, unknown>>): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let index = 0; index < columns.length; index += 1) row[columns[index] ?? ''] = values[index];
  return row;
}

function inputs(parameters: readonly unknown[]): SQLInputValue[] {
  return parameters.map((value) => {
    if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint')
      return value;
    throw new TypeError(`A value of type ${typeof value} can't be stored`);
  });
}
