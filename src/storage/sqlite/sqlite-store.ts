import type { DatabaseSync } from 'node:sqlite';
import { SLICE_ENTRIES } from '../sql/entry-reader.ts';
import { sqliteProviderReports } from '../sql/provider-reports.ts';
import { CAPS, type RollupCaps } from '../sql/rollup-caps.ts';
import { computeMarkedSessionUsage, readSynced, uploadRecords } from '../sql/session-records.ts';
import { sessionSums } from '../sql/session-sums.ts';
import { markSessions, pruneSessionUse } from '../sql/session-use.ts';
import { SqlLedger } from '../sql/sql-ledger.ts';
import { openSqlStore } from '../sql/sql-store.ts';
import { sqliteUnproxiedUsage } from '../sql/unproxied-usage.ts';
import type { LedgerStore } from '../store.ts';
import { SqliteConnection } from './connection.ts';
import { LedgerDatabase } from './ledger-database.ts';
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
  const connection = new SqliteConnection(db);
  const driver = new SqliteDriver(connection, options.sliceEntries ?? SLICE_ENTRIES);
  const ledger = new SqlLedger(driver, options.caps ?? CAPS);
  const database = new LedgerDatabase(connection, ledger);
  return {
    ...openSqlStore(ledger),
    sessions: {
      upload: (given, pricing) => uploadRecords(database, given, pricing),
      computeMarked: (pricingOf, limit) => computeMarkedSessionUsage(database, pricingOf, limit),
      markForComputing: (workspaceId, which) => ledger.write(() => markSessions(ledger, workspaceId, which)),
      sums: async (workspaceId, range) => sessionSums(database, workspaceId, range),
      synced: async (workspaceId, session) => readSynced(database, workspaceId, session),
      pruneUse: (workspaceId, before, limit) => ledger.write(() => pruneSessionUse(ledger, workspaceId, before, limit)),
    },
    providerReports: sqliteProviderReports(database),
    unproxiedUsage: sqliteUnproxiedUsage(database),
  };
}
