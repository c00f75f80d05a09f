import type { DatabaseSync } from 'node:sqlite';
import type { LedgerStore } from '../store.ts';
import { adjustEntries } from '../sql/adjust.ts';
import { readCallHolds } from '../sql/call-holds.ts';
import { QueryRunner } from './query-runner.ts';
import { appendEntries, readMark } from '../sql/append.ts';
import { LedgerDatabase } from './ledger-database.ts';
import { listTagKeys, sumByTag } from '../sql/tags.ts';
import { SqliteConnection } from './connection.ts';
import { readContextUses, readNewestUses } from '../sql/context-uses.ts';
import { backfillCounters, recountNamedEntries, recountWindow } from '../sql/recount.ts';
import {
  dropOtherCounters,
  listCounters,
  listFullest,
  pruneCounters,
  pruneIdleCounters,
  readCounters,
} from '../sql/counters.ts';
import { readEntriesPage } from '../sql/entries-page.ts';
import { readEntry } from '../sql/read-entry.ts';
import { findEntries } from '../sql/find-entries.ts';
import { readKeySeen } from '../sql/key-seen.ts';
import { readKeyUses } from '../sql/key-use.ts';
import { readModels, readSummary } from '../sql/summary.ts';
import { NameTable } from '../sql/name-table.ts';
import { sqliteProviderReports } from '../sql/provider-reports.ts';
import { pruneEntries } from '../sql/prune-entries.ts';
import { SLICE_ENTRIES } from '../sql/entry-reader.ts';
import { sqliteRefusals } from '../sql/refusals.ts';
import { releaseUncertain } from '../sql/release-uncertain.ts';
import { sqliteUnproxiedUsage } from '../sql/unproxied-usage.ts';
import { readSeries } from '../sql/series.ts';
import { computeMarkedSessionUsage, readSynced, uploadRecords } from '../sql/session-records.ts';
import { sessionSums } from '../sql/session-sums.ts';
import { pruneSessionUse, markSessions } from '../sql/session-use.ts';
import { listSessionsBeginning } from '../sql/sessions-beginning.ts';
import { listAgentsAbove } from '../sql/agents-above.ts';
import { CAPS, ValueCaps } from '../sql/rollup-caps.ts';
import type { RollupCaps } from '../sql/rollup-caps.ts';

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
      newestUses: (workspaceId, query) => answers.to((reader) => readNewestUses(reader, workspaceId, query)),
      sessionsBeginning: async (...of) => listSessionsBeginning(ledger, ...of),
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
    unproxiedUsage: sqliteUnproxiedUsage(ledger),
    close: () => answers.close(),
  };
}
