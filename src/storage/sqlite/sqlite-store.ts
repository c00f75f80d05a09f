import type { DatabaseSync } from 'node:sqlite';
import type { LedgerStore } from '../store.ts';
import { adjustEntries } from './adjust.ts';
import { QueryRunner } from './answers.ts';
import { appendEntries } from './append.ts';
import { LedgerDatabase } from './book.ts';
import { sumByTag } from './by-tag.ts';
import { SqliteConnection } from './connection.ts';
import { backfillCounters, recountWindow } from './count-past.ts';
import { listCounters } from './counters.ts';
import { readEntriesPage } from './entries-page.ts';
import { readEntry } from './entry.ts';
import { findEntries } from './find.ts';
import { readKeySeen } from './key-seen.ts';
import { readKeyUses } from './key-uses.ts';
import { readMark } from './mark.ts';
import { readModels } from './models.ts';
import { NameTable } from './names.ts';
import { sqliteProviderReports } from './provider-reports.ts';
import { pruneEntries } from './prune.ts';
import { dropOtherCounters, pruneCounters } from './prune-counters.ts';
import { SLICE_ENTRIES } from './reading.ts';
import { releaseUncertain } from './release.ts';
import { recountNamedEntries } from './recount-named.ts';
import { sqliteUnproxiedUsage } from './report-rest.ts';
import { readSeries } from './series.ts';
import { settleSessions, uploadRecords } from './session-records.ts';
import { sessionSums } from './session-sums.ts';
import { pruneSessionUse, unsettleSessions } from './session-use.ts';
import { readSummary } from './summary.ts';
import { listTagKeys } from './tag-keys.ts';
import { CAPS, ValueCaps } from './value-caps.ts';
import type { RollupCaps } from './value-caps.ts';

export interface SqliteOptions {
  /** `full`: an append survives a power loss as soon as it returns; `normal`: process death. Default `normal`. */
  readonly synchronous?: 'normal' | 'full';
  /** How many different values roll-ups keep apart. Default `CAPS`. */
  readonly caps?: RollupCaps;
  /** Entries that a report adds up in one go. Default `SLICE_ENTRIES`. */
  readonly sliceEntries?: number;
}

/**
 * The book in an open SQLite database whose schema is up to date. The connection stays the caller's:
 * closing the store ends its reports and leaves it open.
 */
export function openSqliteStore(db: DatabaseSync, options: SqliteOptions = {}): LedgerStore {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
  const connection = new SqliteConnection(db);
  const names = new NameTable(connection);
  const answers = new QueryRunner(connection, names, options.sliceEntries ?? SLICE_ENTRIES);
  const book = new LedgerDatabase(connection, names, new ValueCaps(connection, names, options.caps ?? CAPS));
  return {
    entries: {
      append: (batch) => appendEntries(book, batch),
      mark: async (journalId) => readMark(connection, journalId),
      adjust: (adjustments, by) => adjustEntries(book, adjustments, by),
      prune: (workspaceId, before, limit) => pruneEntries(book, workspaceId, before, limit),
    },
    reports: {
      keyUses: (workspaceId, range) => answers.to((reading) => readKeyUses(reading, workspaceId, range)),
      lateUses: (workspaceId, range) => answers.to((reading) => readKeyUses(reading, workspaceId, range, 'late')),
      summary: (workspaceId, range) => answers.to((reading) => readSummary(reading, workspaceId, range)),
      byTag: (workspaceId, tagKey, range) => answers.to((reading) => sumByTag(reading, workspaceId, tagKey, range)),
      tagKeys: async (workspaceId) => listTagKeys(book, workspaceId),
      series: (workspaceId, query) => answers.to((reading) => readSeries(reading, workspaceId, query)),
      entriesPage: async (workspaceId, query) => readEntriesPage(book, workspaceId, query),
      entry: async (workspaceId, callId) => readEntry(book, workspaceId, callId),
      find: async (workspaceId, id) => findEntries(book, workspaceId, id),
      models: (workspaceId, range) => answers.to((reading) => readModels(reading, workspaceId, range)),
      keySeen: async (workspaceId, keyId, since) => readKeySeen(book, workspaceId, keyId, since),
    },
    counters: {
      list: async (from, counter) => listCounters(connection, from, counter),
      backfill: (limit, window, pricedAs) => backfillCounters(book, limit, window, pricedAs),
      recount: (limit, window, pricedAs) => answers.to((reading) => recountWindow(reading, limit, window, pricedAs)),
      recountNamed: (limit, window) => answers.to((reading) => recountNamedEntries(reading, limit, window)),
      release: (workspaceId, due) => releaseUncertain(book, workspaceId, due),
      prune: (old) => pruneCounters(book, old),
      keepOnly: (counters) => dropOtherCounters(book, counters),
    },
    sessions: {
      upload: (given, pricing) => uploadRecords(book, given, pricing),
      settle: (pricingOf, limit) => settleSessions(book, pricingOf, limit),
      unsettle: (workspaceId, which) => unsettleSessions(book, workspaceId, which),
      sums: async (workspaceId, range) => sessionSums(book, workspaceId, range),
      pruneUse: (workspaceId, before, limit) => pruneSessionUse(book, workspaceId, before, limit),
    },
    providerReports: sqliteProviderReports(book),
    reportRest: sqliteUnproxiedUsage(book),
    close: () => answers.close(),
  };
}
