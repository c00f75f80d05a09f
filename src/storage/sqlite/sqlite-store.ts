import type { DatabaseSync } from 'node:sqlite';
import { SLICE_ENTRIES } from '../sql/entry-reader.ts';
import { CAPS, type RollupCaps } from '../sql/rollup-caps.ts';
import { SqlLedger } from '../sql/sql-ledger.ts';
import { openSqlStore } from '../sql/sql-store.ts';
import type { LedgerStore } from '../store.ts';
import { SqliteConnection } from './connection.ts';
import { SqliteDriver } from './sqlite-driver.ts';

export interface SqliteOptions {
  /** `full`: an append survives a power loss as soon as it returns; `normal`: process death. Default `normal`. */
  readonly synchronous?: 'normal' | 'full';
  /** Maximum of different values in roll-ups. Default `CAPS`. */
  readonly caps?: RollupCaps;
  /** Entries that a query adds up per turn. Default `SLICE_ENTRIES`. */
  readonly sliceEntries?: number;
}

/**
 * Opens the store in a migrated SQLite database. The caller owns the connection: closing the store ends its queries
 * and leaves the connection open.
 */
export function openSqliteStore(db: DatabaseSync, options: SqliteOptions = {}): LedgerStore {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
  const driver = new SqliteDriver(new SqliteConnection(db), options.sliceEntries ?? SLICE_ENTRIES);
  return openSqlStore(new SqlLedger(driver, options.caps ?? CAPS));
}
