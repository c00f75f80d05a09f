import { DatabaseSync } from 'node:sqlite';
import { SQLITE_MIGRATIONS } from '../migrations/sqlite.ts';
import { openSqliteStore, type SqliteOptions } from '../sqlite/sqlite-store.ts';
import type { Store } from '../store.ts';

/** A SQLite database in memory with the newest schema. */
export function emptyDatabase(): DatabaseSync {
  const db = new DatabaseSync(':memory:');
  for (const statement of Object.values(SQLITE_MIGRATIONS).flat()) db.exec(statement);
  return db;
}

/** An empty book of its own; closing the store ends it. */
export function emptySqliteStore(options: SqliteOptions = {}): Store {
  const db = emptyDatabase();
  return { ...openSqliteStore(db, options), close: async () => db.close() };
}
