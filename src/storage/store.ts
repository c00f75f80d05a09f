import type { Entry, CallOutcome, EntrySource } from '../domain/usage/call.ts';
import type { GatewayUse } from '../domain/reconciliation/gateway-use.ts';
import type { CounterMove, CounterState, Limit } from '../domain/limits/limit.ts';
import type { LocalSource } from '../domain/sessions/local-call.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import type { Usage } from '../domain/usage/usage.ts';
import type { ProviderReportStore } from './provider-reports.ts';
import type { Actor } from './records/audit.ts';
import type { UnproxiedUsageStore } from './unproxied-usage.ts';

/**
 * The ports of the book. An engine implements them all; nothing outside `storage/` asks which engine it is.
 * Times are epoch milliseconds, ranges half-open, money nano-USD (`bigint` for sums). Every query names its workspace.
 */
export interface LedgerStore {
  readonly entries: EntryStore;
  readonly reports: UsageQueries;
  readonly counters: CounterStore;
  readonly sessions: SessionStore;
  readonly providerReports: ProviderReportStore;
  readonly reportRest: UnproxiedUsageStore;
  close(): Promise<void>;
}

export interface TimeRange {
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
  readonly provenance: CostProvenance;
  readonly reason: string;
  /**
   * Somebody says what an uncertain call really used, so that it is uncertain no more; `costAfter` is then known.
   * Absent = the correction is of a price.
   */
  readonly resolved?: TokenAmounts;
}

export interface TokenAmounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By class, where that is known: the same tokens. Absent = all are uncached input and output. */
  readonly usage?: Usage;
}

/** Ended calls of one journal; `mark` is the `end_seq` of the last. */
export interface EntryBatch {
  readonly journalId: string;
  readonly mark: number;
  readonly entries: readonly Entry[];
}

/** A roll-up has all the different values it may have: further ones stand under `(other)`. */
export interface RollupOverflow {
  readonly workspaceId: string;
  /** `model`: models of a day; `tag_value`: values of the tag `tagKey` on a day; `tag_key`: tag keys of a workspace. */
  readonly of: 'model' | 'tag_value' | 'tag_key';
  readonly tagKey: string | null;
  /** Start of the UTC day; null = for good. */
  readonly day: number | null;
}

export interface AppendResult {
  readonly inserted: number;
  /** Where values of this batch went under `(other)`, each once. */
  readonly overflowed: readonly RollupOverflow[];
  /** What counters hold less than their entries count: uncertain ones of a time that was released already. */
  readonly moves: readonly CounterMove[];
}

export interface AdjustResult {
  readonly inserted: number;
  /** How counters of limits moved. */
  readonly moves: readonly CounterMove[];
}

export interface EntryStore {
  /**
   * Appends entries and moves the journal's mark in one transaction. Entries whose `callId` is there already are
   * skipped and touch no roll-up, so that a repeated batch changes nothing.
   */
  append(batch: EntryBatch): Promise<AppendResult>;
  /** Last `end_seq` of this journal that is durably in the store; 0 = none. */
  mark(journalId: string): Promise<number>;
  /**
   * Corrects costs; an adjustment id that is there already is skipped. Roll-ups of the entry's own hour move.
   * Throws `not_found` for an entry that is not there, `conflict` when `costBefore` is not what the book believes and
   * `impossible` when what is resolved is not uncertain; then nothing of the list is kept. What somebody said by
   * themselves is written into the audit chain too, in the same transaction, where the engine holds one.
   */
  adjust(adjustments: readonly Adjustment[], by?: Actor): Promise<AdjustResult>;
  /**
   * Deletes the oldest entries (with their adjustments) that began before the whole UTC hour in which `before` lies,
   * at most `limit`; roll-ups stay. Returns how many went. From then on sums count those hours whole, each where its
   * start lies, and what no roll-up holds is told from the entries left.
   */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}

/** The name that a provider's model is priced under; null = it has no price. */
export type PricedAs = (provider: string, model: string) => string | null;

/** Up to when (epoch ms, exclusive) uncertain entries have to have ended for a counter to hold their sure part only. */
export interface UncertainRelease {
  readonly counter: number;
  readonly windowStart: number;
  readonly until: number;
}

export interface ReleaseResult {
  readonly moves: readonly CounterMove[];
  /** False = there is more to release. */
  readonly isDone: boolean;
}

/** The counters of one window, both of one instant. */
export interface CounterRecount {
  /** By the entries. */
  readonly expected: readonly CounterState[];
  readonly counted: readonly CounterState[];
}

/**
 * Counters of limits. `EntryStore.append` moves those that its entries name in `touched`, in the same transaction,
 * each by what the entry counts in the counter's unit (`core/counting.ts`). `adjust` moves those of the entry, named or
 * counted as a limit's past, by what the entry counts now and did not before: where the cost was certain or unknown for
 * want of a price, the new cost; an uncertain call counts with its whole hold until it is resolved. A counter of 0 is
 * not there.
 */
export interface CounterStore {
  /** All counters of windows that began at or after `from` (and those of `total`); of one counter or of all. */
  list(from: number, counter?: number): Promise<CounterState[]>;
  /**
   * Sets a limit's counters of the window to the sum of the entries that began in it and match the limit, whatever they
   * were before, and returns them. Nothing of them is released.
   */
  backfill(limit: Limit, window: TimeRange, pricedAs: PricedAs): Promise<CounterState[]>;
  /**
   * What the counters of a window hold, and should by the sum of all matching entries, released parts left out. Entries match
   * a limit of models by what they asked for, as the ledger goes; where there are too many of them, or some are gone, by
   * what answered: then the sum is only near.
   */
  recount(limit: Limit, window: TimeRange, pricedAs: PricedAs): Promise<CounterRecount>;
  /**
   * The same by the entries that name the counter, and those that were there before the limit: exact for a limit of models
   * too. null = there are too many entries, or some are gone.
   */
  recountNamed(limit: Limit, window: TimeRange): Promise<CounterRecount | null>;
  /**
   * Takes the uncertain parts of a workspace's entries out of a counter, each once, of so many entries as have room in
   * one turn. One that is booked late is released then, when it ended before the last of those: no further, so that a
   * time that was wrong releases nothing of calls to come.
   */
  release(workspaceId: string, due: UncertainRelease): Promise<ReleaseResult>;
  /** Deletes counters of windows that began before a limit's `before`, apart from those of `total`. */
  prune(old: readonly { readonly counter: number; readonly before: number }[]): Promise<number>;
  /** Deletes what there is of counters below the highest of these numbers that are not among them. */
  keepOnly(counters: readonly number[]): Promise<number>;
}

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
  readonly range: TimeRange;
  /** Start instants of the buckets, ascending, first = range.start; the caller computed them in its time zone. */
  readonly buckets: readonly number[];
  readonly by: SeriesDimension | null;
  /** Which tag, when `by` is `tag`. Entries without it stand under the value null: the untagged share. */
  readonly tagKey?: string;
  readonly filter: SeriesFilter;
  /** An engine that would have to add up more entries one by one throws `impossible`. Absent = it takes its time. */
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
  readonly range: TimeRange;
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
  keyUses(workspaceId: string, range: TimeRange): Promise<KeyUse[]>;
  /** Of these, what calls used that were under way when their day ended. */
  lateUses(workspaceId: string, range: TimeRange): Promise<KeyUse[]>;
  summary(workspaceId: string, range: TimeRange): Promise<UsageBreakdown>;
  /** Every value of the tag, unsorted and unlimited (at most 10,000 a day). */
  byTag(workspaceId: string, tagKey: string, range: TimeRange): Promise<TagRow[]>;
  /** Keys of tags that calls ever carried, unsorted (at most 1,000). */
  tagKeys(workspaceId: string): Promise<string[]>;
  series(workspaceId: string, query: SeriesQuery): Promise<SeriesRow[]>;
  entriesPage(workspaceId: string, query: EntriesQuery): Promise<{ rows: RecordedEntry[]; next: string | null }>;
  entry(workspaceId: string, callId: string): Promise<RecordedEntry | null>;
  /** Entries of this call, or with this id of the provider's for the request or the answer; the newest, at most 20. */
  find(workspaceId: string, id: string): Promise<RecordedEntry[]>;
  /** Each model of each provider, unsorted; a model that is not known is null. */
  models(workspaceId: string, range: TimeRange): Promise<ModelUse[]>;
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

/** Session records of one upload: those of a session and model replace all that was stored of them. */
export interface SessionUpload {
  readonly workspaceId: string;
  readonly source: LocalSource;
  /** The access token that uploads. */
  readonly tokenId: string;
  readonly records: readonly SessionRecord[];
}

export interface UploadResult {
  readonly sessions: number;
  /** Records that went. */
  readonly replaced: number;
  /** What the uploaded records count for now, beside the calls that went through the gate. */
  readonly counted: SessionTotals;
}

/** How a workspace's usage is named and priced today. */
export interface SessionPricing {
  readonly pricedAs: PricedAs;
  resolve(provider: string, model: string, at: number): RateCard | null;
}
export type PricingOf = (workspaceId: string) => SessionPricing;

/** Sums over what session records hold beyond the calls that went through the gate. */
export interface SessionTotals {
  readonly calls: number;
  /** Records that don't say how many calls they are of. */
  readonly uncountedRecords: number;
  /** Known cost, nano-USD. */
  readonly cost: bigint;
  /** Uncached + cache reads + cache writes. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Calls without a price. */
  readonly unpricedCalls: number;
  /** Records with usage that has neither a price nor a number of calls. */
  readonly unpricedUses: number;
}

export interface SessionSum {
  readonly source: LocalSource;
  readonly tokenId: string;
  readonly provider: string;
  readonly model: string;
  readonly totals: SessionTotals;
}

/**
 * Usage that session files tell of. `EntryStore.append` keeps what the calls of a session used, for good, and marks
 * the session as unsettled where records of it are there, in the same transaction. Settling works out anew what the
 * records hold beyond those calls: max(0, record - calls) of the whole session, for each model (by the name it is
 * priced under) and token class.
 */
export interface SessionStore {
  /** In one transaction, with the sessions of the upload settled. Throws `impossible` for a model too many. */
  upload(upload: SessionUpload, pricing: SessionPricing): Promise<UploadResult>;
  /** Settles as many unsettled sessions at most; returns how many it were. */
  settle(pricingOf: PricingOf, limit: number): Promise<number>;
  /** Marks all sessions of a workspace, or those with usage that has no price, to be settled anew. */
  unsettle(workspaceId: string, which: 'all' | 'unpriced'): Promise<void>;
  /** An hour counts whole, where its start lies. */
  sums(workspaceId: string, range: TimeRange): Promise<SessionSum[]>;
  /** Deletes what calls of sessions used before `before`, of at most `limit` rows, where no record was ever uploaded. */
  pruneUse(workspaceId: string, before: number, limit: number): Promise<number>;
}
