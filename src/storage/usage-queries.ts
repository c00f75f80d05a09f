import type { CallOutcome, Entry, EntrySource } from '../domain/usage/call.ts';
import type { GatewayUse } from '../domain/reconciliation/gateway-use.ts';
import type { Period } from '../domain/time/period.ts';
import type { Adjustment } from './entry-store.ts';

/** Sums over entries that were sent (outcome other than `not_sent`). */
export interface UsageTotals {
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
  /** Of usage beside the gate, what has neither a price nor a number of calls; 0 of entries. */
  readonly unpricedUses: number;
  readonly uncertainCalls: number;
  /** Sum of counted - cost over uncertain entries, nano-USD. */
  readonly uncertainUpTo: bigint;
  /** What limits count for calls without a price, nano-USD: counted - cost - uncertainUpTo. */
  readonly unpricedUpTo: bigint;
  /** What limits count beyond the tokens above: those that uncertain calls may have used. */
  readonly uncertainInputTokens: number;
  readonly uncertainOutputTokens: number;
}

export interface UsageBreakdown {
  readonly total: UsageTotals;
  readonly byProvider: ReadonlyMap<string, UsageTotals>;
  readonly byModel: ReadonlyMap<string, UsageTotals>;
}

export interface TagRow {
  readonly value: string;
  readonly calls: number;
  /** Known cost, nano-USD. */
  readonly cost: bigint;
  /** Calls that are not in the cost. */
  readonly unpricedCalls: number;
}

export const DIMENSIONS = ['source', 'provider', 'model', 'key', 'status', 'tag'] as const;

export type SeriesDimension = (typeof DIMENSIONS)[number];

export interface SeriesFilter {
  readonly source?: EntrySource;
  readonly provider?: string;
  readonly model?: string;
  readonly keyId?: string;
  readonly status?: number;
  readonly tag?: { readonly key: string; readonly value: string };
}

export interface SeriesQuery {
  readonly range: Period;
  /** Start instants of the buckets, ascending, first = range.start; the caller computed them in its time zone. */
  readonly buckets: readonly number[];
  readonly by: SeriesDimension | null;
  /** Which tag, when `by` is `tag`. Entries without it stand under the value null: the untagged share. */
  readonly tagKey?: string;
  readonly filter: SeriesFilter;
  /** An engine that would have to add up more entries one by one throws `unprocessable`. Absent = it takes its time. */
  readonly entriesMax?: number;
}

export interface SeriesRow {
  /** Start instant of its bucket. */
  readonly bucket: number;
  /** Value of the dimension; null = none (untagged, unknown model). */
  readonly value: string | null;
  readonly totals: UsageTotals;
}

export interface EntryFilter extends SeriesFilter {
  readonly uncertain?: boolean;
  readonly unpriced?: boolean;
  readonly outcome?: CallOutcome;
  /** Hash of a session. */
  readonly session?: string;
  /** Known to have cost so much at least, corrections included; nano-USD. */
  readonly costMin?: number;
}

export interface EntriesQuery {
  readonly range: Period;
  readonly filter: EntryFilter;
  /** Opaque; null = from the newest. */
  readonly cursor: string | null;
  readonly limit: number;
  /**
   * A page may end after so many entries that do not pass the filter, with `next` and however few rows. Absent = it
   * is as full as can be.
   */
  readonly scanMax?: number;
}

/** An entry with the corrections made to it, oldest first. `cost` of the entry is what was first believed. */
export interface RecordedEntry {
  readonly entry: Entry;
  readonly adjustments: readonly Adjustment[];
}

/** What one wrapped key used through the gate on one UTC day, by model and terms. */
export interface KeyUse extends GatewayUse {
  readonly day: number;
  readonly keyId: string;
}

export interface UsageQueries {
  /** Of the UTC days that begin in the range, unsorted. With all that reports tell apart; a class is absent where it is 0. */
  keyUses(workspaceId: string, range: Period): Promise<KeyUse[]>;
  /** Of these, what calls used that were under way when their day ended. */
  lateUses(workspaceId: string, range: Period): Promise<KeyUse[]>;
  summary(workspaceId: string, range: Period): Promise<UsageBreakdown>;
  /** Every value of the tag, unsorted and unlimited (at most 10,000 a day). */
  byTag(workspaceId: string, tagKey: string, range: Period): Promise<TagRow[]>;
  /** Keys of tags that calls ever carried, unsorted (at most 1,000). */
  tagKeys(workspaceId: string): Promise<string[]>;
  series(workspaceId: string, query: SeriesQuery): Promise<SeriesRow[]>;
  entriesPage(workspaceId: string, query: EntriesQuery): Promise<{ rows: RecordedEntry[]; next: string | null }>;
  entry(workspaceId: string, callId: string): Promise<RecordedEntry | null>;
  /** Entries of this call, or with this id of the provider's for the request or the answer; the newest, at most 20. */
  find(workspaceId: string, id: string): Promise<RecordedEntry[]>;
  /** Each model of each provider, unsorted; a model that is not known is null. */
  models(workspaceId: string, range: Period): Promise<ModelUse[]>;
  /** When the first and the newest call of a key began that the book knows of, since a time; null = there is none. */
  keySeen(workspaceId: string, keyId: string, since: number): Promise<KeySeen | null>;
}

export interface ModelUse {
  readonly provider: string;
  readonly model: string | null;
  readonly totals: UsageTotals;
}

export interface KeySeen {
  readonly firstAt: number;
  readonly lastAt: number;
}
