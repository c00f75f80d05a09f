import type { DatabaseSync } from 'node:sqlite';
import type { LedgerStore } from '../store.ts';
import { adjustEntries } from './adjust.ts';
import { readCallHolds } from './call-holds.ts';
import { QueryRunner } from './query-runner.ts';
import { appendEntries, readMark } from './append.ts';
import { LedgerDatabase } from './ledger-database.ts';
import { listTagKeys, sumByTag } from './tags.ts';
import { SqliteConnection } from './connection.ts';
import { readContextUses } from './context-uses.ts';
import { backfillCounters, recountNamedEntries, recountWindow } from './recount.ts';
import {
  dropOtherCounters,
  listCounters,
  listFullest,
  pruneCounters,
  pruneIdleCounters,
  readCounters,
} from './counters.ts';
import { readEntriesPage } from './entries-page.ts';
import { readEntry } from './read-entry.ts';
import { findEntries } from './find-entries.ts';
import { readKeySeen } from './key-seen.ts';
import { readKeyUses } from './key-use.ts';
import { readModels, readSummary } from './summary.ts';
import { NameTable } from './name-table.ts';
import { sqliteProviderReports } from './provider-reports.ts';
import { pruneEntries } from './prune-entries.ts';
import { SLICE_ENTRIES } from './entry-reader.ts';
import { sqliteRefusals } from './refusals.ts';
import { releaseUncertain } from './release-uncertain.ts';
import { sqliteUnproxiedUsage } from './unproxied-usage.ts';
import { readSeries } from './series.ts';
import { computeMarkedSessionUsage, readSynced, uploadRecords } from './session-records.ts';
import { sessionSums } from './session-sums.ts';
import { pruneSessionUse, markSessions } from './session-use.ts';
import { listAgentsAbove } from './agents-above.ts';
import { CAPS, ValueCaps } from './rollup-caps.ts';
import type { RollupCaps } from './rollup-caps.ts';

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
  const names = new NameTable(connection);
  const answers = new QueryRunner(connection, names, options.sliceEntries ?? SLICE_ENTRIES);
  const ledger = new LedgerDatabase(connection, names, new ValueCaps(connection, names, options.caps ?? CAPS));
  return {
    entries: {
      append: (batch) => appendEntries(ledger, batch),
      mark: async (journalId) => readMark(connection, journalId),
      adjust: (adjustments, by) => adjustEntries(ledger, adjustments, by),
      prune: (workspaceId, before, limit) => pruneEntries(ledger, workspaceId, before, limit),
    },
    reports: {
      keyUses: (workspaceId, range) => answers.to((reader) => readKeyUses(reader, workspaceId, range)),
      lateUses: (workspaceId, range) => answers.to((reader) => readKeyUses(reader, workspaceId, range, 'late')),
      summary: (workspaceId, range) => answers.to((reader) => readSummary(reader, workspaceId, range)),
      byTag: (workspaceId, tagKey, range) => answers.to((reader) => sumByTag(reader, workspaceId, tagKey, range)),
      tagKeys: async (workspaceId) => listTagKeys(ledger, workspaceId),
      series: (workspaceId, query) => answers.to((reader) => readSeries(reader, workspaceId, query)),
      contextUses: (workspaceId, query) => answers.to((reader) => readContextUses(reader, workspaceId, query)),
      entriesPage: async (workspaceId, query) => readEntriesPage(ledger, workspaceId, query),
      entry: async (workspaceId, callId) => readEntry(ledger, workspaceId, callId),
      find: async (workspaceId, id) => findEntries(ledger, workspaceId, id),
      models: (workspaceId, range) => answers.to((reader) => readModels(reader, workspaceId, range)),
      callHolds: (workspaceId, query) => answers.to((reader) => readCallHolds(reader, workspaceId, query)),
      keySeen: async (workspaceId, keyId, since) => readKeySeen(ledger, workspaceId, keyId, since),
    },
    counters: {
      list: async (from, counters) => listCounters(connection, from, counters),
      agentsAbove: async (...of) => listAgentsAbove(ledger, ...of),
      read: async (places) => readCounters(connection, places),
      fullest: async (place, limit) => listFullest(connection, place, limit),
      backfill: (limit, window, pricedAs) => backfillCounters(ledger, limit, window, pricedAs),
      recount: (limit, window, pricedAs) => answers.to((reader) => recountWindow(reader, limit, window, pricedAs)),
      recountNamed: (limit, window) => answers.to((reader) => recountNamedEntries(reader, limit, window)),
      release: (workspaceId, due) => releaseUncertain(ledger, workspaceId, due),
      prune: (old) => pruneCounters(ledger, old),
      pruneIdle: (check) => pruneIdleCounters(ledger, check),
      keepOnly: (counters) => dropOtherCounters(ledger, counters),
    },
    sessions: {
      upload: (given, pricing) => uploadRecords(ledger, given, pricing),
      computeMarked: (pricingOf, limit) => computeMarkedSessionUsage(ledger, pricingOf, limit),
      markForComputing: (workspaceId, which) => markSessions(ledger, workspaceId, which),
      sums: async (workspaceId, range) => sessionSums(ledger, workspaceId, range),
      synced: async (workspaceId, session) => readSynced(ledger, workspaceId, session),
      pruneUse: (workspaceId, before, limit) => pruneSessionUse(ledger, workspaceId, before, limit),
    },
    providerReports: sqliteProviderReports(ledger),
    refusals: sqliteRefusals(ledger),
    reportRest: sqliteUnproxiedUsage(ledger),
    close: () => answers.close(),
  };
}
