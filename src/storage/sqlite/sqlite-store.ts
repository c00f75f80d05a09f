import type { DatabaseSync } from 'node:sqlite';
import type { Store } from '../store.ts';
import { adjust } from './adjust.ts';
import { Answers } from './answers.ts';
import { append } from './append.ts';
import { Book } from './book.ts';
import { byTag } from './by-tag.ts';
import { Connection } from './connection.ts';
import { countPast, recount } from './count-past.ts';
import { listCounters } from './counters.ts';
import { entriesPage } from './entries-page.ts';
import { readEntry } from './entry.ts';
import { find } from './find.ts';
import { keySeen } from './key-seen.ts';
import { keyUses } from './key-uses.ts';
import { readMark } from './mark.ts';
import { models } from './models.ts';
import { Names } from './names.ts';
import { sqliteProviderReports } from './provider-reports.ts';
import { prune } from './prune.ts';
import { keepOnlyCounters, pruneCounters } from './prune-counters.ts';
import { SLICE_ENTRIES } from './reading.ts';
import { release } from './release.ts';
import { recountNamed } from './recount-named.ts';
import { sqliteReportRest } from './report-rest.ts';
import { series } from './series.ts';
import { settle, upload } from './session-records.ts';
import { sessionSums } from './session-sums.ts';
import { pruneUse, unsettle } from './session-use.ts';
import { summary } from './summary.ts';
import { tagKeys } from './tag-keys.ts';
import { CAPS, ValueCaps } from './value-caps.ts';
import type { Caps } from './value-caps.ts';

export interface SqliteOptions {
  /** `full`: an append survives a power loss as soon as it returns; `normal`: process death. Default `normal`. */
  readonly synchronous?: 'normal' | 'full';
  /** How many different values roll-ups keep apart. Default `CAPS`. */
  readonly caps?: Caps;
  /** Entries that a report adds up in one go. Default `SLICE_ENTRIES`. */
  readonly sliceEntries?: number;
}

/**
 * The book in an open SQLite database whose schema is up to date. The connection stays the caller's:
 * closing the store ends its reports and leaves it open.
 */
export function openSqliteStore(db: DatabaseSync, options: SqliteOptions = {}): Store {
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${options.synchronous === 'full' ? 'FULL' : 'NORMAL'}`);
  const connection = new Connection(db);
  const names = new Names(connection);
  const answers = new Answers(connection, names, options.sliceEntries ?? SLICE_ENTRIES);
  const book = new Book(connection, names, new ValueCaps(connection, names, options.caps ?? CAPS));
  return {
    entries: {
      append: (batch) => append(book, batch),
      mark: async (journalId) => readMark(connection, journalId),
      adjust: (adjustments, by) => adjust(book, adjustments, by),
      prune: (workspaceId, before, limit) => prune(book, workspaceId, before, limit),
    },
    reports: {
      keyUses: (workspaceId, range) => answers.to((reading) => keyUses(reading, workspaceId, range)),
      lateUses: (workspaceId, range) => answers.to((reading) => keyUses(reading, workspaceId, range, 'late')),
      summary: (workspaceId, range) => answers.to((reading) => summary(reading, workspaceId, range)),
      byTag: (workspaceId, tagKey, range) => answers.to((reading) => byTag(reading, workspaceId, tagKey, range)),
      tagKeys: async (workspaceId) => tagKeys(book, workspaceId),
      series: (workspaceId, query) => answers.to((reading) => series(reading, workspaceId, query)),
      entriesPage: async (workspaceId, query) => entriesPage(book, workspaceId, query),
      entry: async (workspaceId, callId) => readEntry(book, workspaceId, callId),
      find: async (workspaceId, id) => find(book, workspaceId, id),
      models: (workspaceId, range) => answers.to((reading) => models(reading, workspaceId, range)),
      keySeen: async (workspaceId, keyId, since) => keySeen(book, workspaceId, keyId, since),
    },
    counters: {
      list: async (from, counter) => listCounters(connection, from, counter),
      countPast: (limit, window, pricedAs) => countPast(book, limit, window, pricedAs),
      recount: (limit, window, pricedAs) => answers.to((reading) => recount(reading, limit, window, pricedAs)),
      recountNamed: (limit, window) => answers.to((reading) => recountNamed(reading, limit, window)),
      release: (workspaceId, due) => release(book, workspaceId, due),
      prune: (old) => pruneCounters(book, old),
      keepOnly: (counters) => keepOnlyCounters(book, counters),
    },
    sessions: {
      upload: (given, pricing) => upload(book, given, pricing),
      settle: (pricingOf, limit) => settle(book, pricingOf, limit),
      unsettle: (workspaceId, which) => unsettle(book, workspaceId, which),
      sums: async (workspaceId, range) => sessionSums(book, workspaceId, range),
      pruneUse: (workspaceId, before, limit) => pruneUse(book, workspaceId, before, limit),
    },
    providerReports: sqliteProviderReports(book),
    reportRest: sqliteReportRest(book),
    close: () => answers.close(),
  };
}
