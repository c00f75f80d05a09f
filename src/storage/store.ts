import type { Entry, Source } from '../core/call.ts';

/**
 * The ports of the book. An engine implements them all; nothing outside `storage/` asks which engine it is.
 * Times are epoch milliseconds, ranges half-open, money nano-USD (`bigint` for sums). Every query names its workspace.
 */
export interface Store {
  readonly entries: EntryStore;
  readonly reports: Reports;
  close(): Promise<void>;
}

export interface Range {
  readonly start: number;
  readonly end: number;
}

/** A correction of an entry's cost: the entry itself is never edited. */
export interface Adjustment {
  readonly adjustmentId: string;
  readonly callId: string;
  readonly workspaceId: string;
  readonly recordedAt: number;
  /** The entry's believed cost before and after, nano-USD; null = unknown. */
  readonly costBefore: number | null;
  readonly costAfter: number | null;
  readonly priceVersion: string;
  readonly reason: string;
}

export interface EntryStore {
  /**
   * Appends entries and moves the journal's mark in one transaction. Entries whose `callId` is there already are
   * skipped and touch no roll-up, so that a repeated batch changes nothing.
   */
  append(batch: { journalId: string; mark: number; entries: readonly Entry[] }): Promise<{ inserted: number }>;
  /** Last `end_seq` of this journal that is durably in the store; 0 = none. */
  mark(journalId: string): Promise<number>;
  /** Corrects costs; an adjustment id that is there already is skipped. Roll-ups of the entry's own hour move. */
  adjust(adjustments: readonly Adjustment[]): Promise<{ inserted: number }>;
  /** Entries without a price, oldest first, after the given call id. */
  unpriced(workspaceId: string, after: string | null, limit: number): Promise<Entry[]>;
  /** Entries with this price version in the range, for corrections of a price. */
  pricedWith(workspaceId: string, version: string, range: Range, after: string | null, limit: number): Promise<Entry[]>;
  /** Deletes entries of a workspace that began before `before`, at most `limit`; roll-ups stay. Returns how many went. */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}

/** Sums over entries that were sent (outcome other than `not_sent`). */
export interface Totals {
  readonly calls: number;
  readonly failedCalls: number;
  /** Known cost, nano-USD. */
  readonly cost: bigint;
  /** Uncached + cache reads + cache writes. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly unpricedCalls: number;
  readonly uncertainCalls: number;
  /** Sum of counted - cost over uncertain entries, nano-USD. */
  readonly uncertainUpTo: bigint;
}

export interface Summary {
  readonly total: Totals;
  readonly byProvider: ReadonlyMap<string, Totals>;
  readonly byModel: ReadonlyMap<string, Totals>;
}

export interface TagRow {
  readonly value: string;
  readonly calls: number;
  readonly cost: bigint;
}

export const DIMENSIONS = ['source', 'provider', 'model', 'key', 'status', 'tag'] as const;
export type Dimension = (typeof DIMENSIONS)[number];

export interface SeriesFilter {
  readonly source?: Source;
  readonly provider?: string;
  readonly model?: string;
  readonly keyId?: string;
  readonly status?: number;
  readonly tag?: { readonly key: string; readonly value: string };
}

export interface SeriesQuery {
  readonly range: Range;
  /** Start instants of the buckets, ascending, first = range.start; the caller computed them in its time zone. */
  readonly buckets: readonly number[];
  readonly by: Dimension | null;
  /** Which tag, when `by` is `tag`. Entries without it stand under the value null: the untagged share. */
  readonly tagKey?: string;
  readonly filter: SeriesFilter;
}

export interface SeriesRow {
  /** Start instant of its bucket. */
  readonly bucket: number;
  /** Value of the dimension; null = none (untagged, unknown model). */
  readonly value: string | null;
  readonly totals: Totals;
}

export interface EntriesQuery {
  readonly range: Range;
  readonly filter: SeriesFilter & { readonly uncertain?: boolean; readonly unpriced?: boolean };
  /** Opaque; null = from the newest. */
  readonly cursor: string | null;
  readonly limit: number;
}

/** An entry with the corrections made to it. `cost` of the entry is what was first believed. */
export interface BookedEntry {
  readonly entry: Entry;
  readonly adjustments: readonly Adjustment[];
}

export interface Reports {
  summary(workspaceId: string, range: Range): Promise<Summary>;
  /** Every value of the tag, unsorted and unlimited (at most 10,000 a day). */
  byTag(workspaceId: string, tagKey: string, range: Range): Promise<TagRow[]>;
  series(workspaceId: string, query: SeriesQuery): Promise<SeriesRow[]>;
  entriesPage(workspaceId: string, query: EntriesQuery): Promise<{ rows: BookedEntry[]; next: string | null }>;
  entry(workspaceId: string, callId: string): Promise<BookedEntry | null>;
}
