import { DatabaseSync } from 'node:sqlite';
import { TollbookError } from '../core/errors.ts';
import { openMemoryStore } from './memory/memory-store.ts';
import { entryTables } from './sqlite/schema.ts';
import { openSqliteStore } from './sqlite/sqlite-store.ts';
import type { SqliteOptions } from './sqlite/sqlite-store.ts';
import type { Store } from './store.ts';

/** Where a book is: a SQLite file of its own, nowhere (`memory`), or the address of a database server. */
export type StoreAddress = { readonly file: string } | 'memory' | (string & {});

/**
 * Opens the engine that the address names. Throws `invalid` for an address that no engine serves.
 * A service whose records live in the same SQLite file opens that itself and calls `openSqliteStore`.
 */
export function openStore(address: StoreAddress, options: SqliteOptions = {}): Store {
  if (typeof address === 'object') return openFile(address.file, options);
  if (address === 'memory') return openMemoryStore();
  throw unservedAddress(address);
}

/** What is said to whoever sets an address that no engine serves. The address itself may hold a password. */
export function unservedAddress(address: string): TollbookError {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1] ?? 'unknown';
  return new TollbookError(
    'invalid',
    `No storage engine serves addresses of the kind "${scheme}"; this release keeps its book in a SQLite file in the data folder (SVC_DATA_DIR): leave SVC_DATABASE_URL out.`,
    'SVC_DATABASE_URL',
  );
}

function openFile(file: string, options: SqliteOptions): Store {
  const db = new DatabaseSync(file);
  const isNew = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries'").get() === undefined;
  if (isNew) for (const sql of entryTables) db.exec(sql);
  const store = openSqliteStore(db, options);
  return { ...store, close: async () => db.close() };
}
