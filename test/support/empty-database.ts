import { DatabaseSync } from 'node:sqlite';
import { SQLITE_MIGRATIONS } from '../../src/storage/migrations/sqlite.ts';
import { openSqliteStore, type SqliteOptions } from '../../src/storage/sqlite/sqlite-store.ts';
import type { LedgerStore } from '../../src/storage/store.ts';

/** Made once: to run every migration takes three hundred times as long as to copy what they lead to. */
let schema: Uint8Array | null = null;

/** A SQLite database in memory with the newest schema. */
export function emptyDatabase(): DatabaseSync {
  schema ??= newestSchema();
  const db = new DatabaseSync(':memory:');
  db.deserialize(schema);
  return db;
}

function newestSchema(): Uint8Array {
  const db = new DatabaseSync(':memory:');
  for (const statement of Object.values(SQLITE_MIGRATIONS).flat()) db.exec(statement);
  const bytes = db.serialize();
  db.close();
  return bytes;
}

/** An empty book of its own; closing the store ends it. */
export function emptySqliteStore(options: SqliteOptions = {}): LedgerStore {
  const db = emptyDatabase();
  return { ...openSqliteStore(db, options), close: async () => db.close() };
}
