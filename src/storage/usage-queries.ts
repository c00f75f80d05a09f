import type { UsageTotals } from '../domain/usage/usage-totals.ts';
import type {
  CallAmounts,
  CallOutcome,
  Entry,
  EntrySource,
  SecondDimension,
  SeriesDimension,
  UncertainReason,
} from '../domain/usage/call.ts';
import type { GatewayUse } from '../domain/reconciliation/gateway-use.ts';
import type { LimitScope } from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';
import type { PricedAs } from './counter-store.ts';
import type { Adjustment } from './entry-store.ts';

export interface UsageBreakdown {
  readonly total: UsageTotals;
  readonly byProvider: ReadonlyMap<string, UsageTotals>;
  readonly byModel: ReadonlyMap<string, UsageTotals>;
}

export interface TagRow extends Pick<
  UsageTotals,
  'calls' | 'cost' | 'listBeyondCost' | 'contractedBeyondCost' | 'unpricedCalls' | 'uncertainCalls' | 'uncertainUpTo'
> {
  readonly value: string;
}

/** Fields that a filter compares with values. */
export const FILTER_FIELDS = [
  'source',
  'provider',
  'model',
  'keyId',
  'status',
  'session',
  'agent',
  'run',
  'requestClass',
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** Several values of a field or a tag, or values that are left out. A call without a value is not one of any. */
export interface ValueMatch {
  readonly of: FilterField | { readonly tagKey: string };
  readonly values: readonly (string | number)[];
  /** Matches calls with none of the values. */
  readonly isNot: boolean;
}

export interface SeriesFilter {
  readonly source?: EntrySource;
  readonly provider?: string;
  readonly model?: string;
  readonly keyId?: string;
  readonly status?: number;
  readonly tag?: { readonly key: string; readonly value: string };
  readonly session?: string;
  readonly agent?: string;
  readonly run?: string;
  readonly requestClass?: string;
  /** All of them hold too. */
  readonly matches?: readonly ValueMatch[];
}

export interface SeriesQuery {
  readonly range: Period;
  /** Start times of the buckets, ascending, first = range.start, computed in the caller's time zone. */
  readonly buckets: readonly number[];
  readonly by: SeriesDimension | null;
  /** The tag, if `by` is `tag`. Untagged entries have the value null. */
  readonly tagKey?: string;
  /** A second dimension, which is no tag. Absent = none. */
  readonly and?: SecondDimension;
  readonly filter: SeriesFilter;
  /** Above this number of entries to add up one by one, an engine throws `unprocessable`. Absent = no bound. */
  readonly entriesMax?: number;
  /** Above this number of different values in a bucket, an engine throws `unprocessable`. Absent = no bound. */
  readonly valuesMax?: number;
}

export interface SeriesRow {
  /** Start instant of its bucket. */
  readonly bucket: number;
  /** Value of the dimension; null = none (untagged, unknown model). */
  readonly value: string | null;
  /** Value of the second dimension, if the query has one. */
  readonly and?: string | null;
  readonly totals: UsageTotals;
}

export interface EntryFilter extends SeriesFilter {
  readonly uncertain?: boolean;
  /** Reason why the call was uncertain when it was recorded; corrections don't change it. */
  readonly recordedReason?: UncertainReason;
  readonly unpriced?: boolean;
  readonly outcome?: CallOutcome;
  /** Hash of an assistant session; calls to which their client gave another session. */
  readonly renamedSession?: string;
  /** Minimum effective cost, nano-USD. */
  readonly costMin?: number;
}

export interface EntriesQuery {
  readonly range: Period;
  readonly filter: EntryFilter;
  /** Opaque; null = from the newest. */
  readonly cursor: string | null;
  readonly limit: number;
  /**
   * A page may end after this many entries that don't match the filter, with `next` and few rows. Absent = pages are
   * full.
   */
  readonly scanMax?: number;
}

/** An entry with its adjustments, oldest first. `cost` of the entry is the first cost. */
export interface RecordedEntry {
  readonly entry: Entry;
  readonly adjustments: readonly Adjustment[];
}

/** Use of one wrapped key through the gateway on one UTC day, by model and terms. */
export interface KeyUse extends GatewayUse {
  readonly day: number;
  readonly keyId: string;
}

/** Calls of one session, agent and model, or of one run. */
export interface ContextUse {
  readonly session: string | null;
  readonly agent: string | null;
  readonly parentAgent: string | null;
  readonly run: string | null;
  readonly model: string | null;
  readonly requestClass: string | null;
  readonly keyId: string | null;
  /** Start of the first call. */
  readonly firstAt: number;
  /** End of the last call. */
  readonly lastAt: number;
  readonly totals: UsageTotals;
}

/** Properties that `contextUses` keeps apart; the others are null. */
export const CONTEXT_PARTS = ['session', 'agent', 'parentAgent', 'run', 'model', 'requestClass', 'keyId'] as const;
export type ContextPart = (typeof CONTEXT_PARTS)[number];

export interface ContextQuery {
  readonly range: Period;
  readonly by: readonly ContextPart[];
  readonly filter: SeriesFilter;
  /** Above this number of entries to add up one by one, an engine throws `unprocessable`. Absent = no bound. */
  readonly entriesMax?: number;
  /** Above this number of rows, an engine throws `unprocessable`. Absent = no bound. */
  readonly valuesMax?: number;
}

export interface NewestUsesQuery extends Pick<ContextQuery, 'range' | 'by' | 'filter'> {
  /** Reading ends, from the newest entry on, where this many entries … */
  readonly entriesMax: number;
  /** … or this many rows are exceeded. A few more may have been read. */
  readonly valuesMax: number;
}

export interface NewestUses {
  readonly uses: ContextUse[];
  /** Start of the entries that were read: that of the range, or a later one if there are too many. */
  readonly from: number;
}

/** Calls of one assistant session through the gateway in one UTC hour, with one key and model. */
export interface AssistantCalls {
  /** Start of the hour. */
  readonly hour: number;
  /** Name of the session: the one that the client gave, else the hash. */
  readonly session: string;
  readonly sessionHash: string;
  readonly keyId: string;
  readonly provider: string;
  readonly model: string | null;
  readonly operation: string;
  /** Start of the first call, and end of the last. */
  readonly firstAt: number;
  readonly lastAt: number;
  readonly totals: UsageTotals;
}

export interface NewestAssistantCalls {
  /** A combination may occur several times. */
  readonly calls: AssistantCalls[];
  /** Start of the entries that were read: that of the range, or a later one if there are too many. */
  readonly from: number;
}

export interface CallHoldsQuery {
  readonly range: Period;
  readonly scope: LimitScope;
  readonly pricedAs: PricedAs;
  /** Entries of the range that are read, the newest, in scope or not. */
  readonly entriesMax: number;
}

/** A proxied call as limits see it, with its corrections. */
export interface CallHold extends Pick<Entry, 'startedAt' | 'endedAt' | 'keyId' | 'provider' | 'requestedModel'> {
  readonly hold: CallAmounts;
  readonly counted: CallAmounts;
  /** Values under which the scope counts the call; `['']` for a scope that counts all its calls together. */
  readonly values: readonly string[];
}

export interface CallHolds {
  /** In order of start. */
  readonly calls: readonly CallHold[];
  /** Start of the entries that were read: that of the range, or a later one if there are too many. */
  readonly from: number;
}

export interface UsageQueries {
  /**
   * Returns use by UTC day, unsorted, in the classes and on the terms of provider reports; a class is absent where it
   * is 0.
   */
  keyUses(workspaceId: string, range: Period): Promise<KeyUse[]>;
  /** Returns the part of calls that ran past the end of their day. */
  lateUses(workspaceId: string, range: Period): Promise<KeyUse[]>;
  summary(workspaceId: string, range: Period): Promise<UsageBreakdown>;
  /** Returns all values of the tag, unsorted (at most 10,000 per day). */
  byTag(workspaceId: string, tagKey: string, range: Period): Promise<TagRow[]>;
  /** Returns all tag keys, unsorted (at most 1,000). */
  tagKeys(workspaceId: string): Promise<string[]>;
  series(workspaceId: string, query: SeriesQuery): Promise<SeriesRow[]>;
  /** Sums entries by context, unsorted. */
  contextUses(workspaceId: string, query: ContextQuery): Promise<ContextUse[]>;
  /** Sums the newest entries of a range by context, unsorted. */
  newestUses(workspaceId: string, query: NewestUsesQuery): Promise<NewestUses>;
  /** Sums the newest calls of assistant sessions in a range, unsorted. */
  assistantCalls(
    workspaceId: string,
    query: Pick<NewestUsesQuery, 'range' | 'entriesMax' | 'valuesMax'>,
  ): Promise<NewestAssistantCalls>;
  /** Returns sessions whose names begin with a text, unsorted; of very many, some. */
  sessionsBeginning(workspaceId: string, prefix: string, limit: number): Promise<string[]>;
  entriesPage(workspaceId: string, query: EntriesQuery): Promise<{ rows: RecordedEntry[]; next: string | null }>;
  entry(workspaceId: string, callId: string): Promise<RecordedEntry | null>;
  /** Returns the newest entries, at most 20, with this call id, or this provider id of request or answer. */
  find(workspaceId: string, id: string): Promise<RecordedEntry[]>;
  /** Returns each model of each provider, unsorted; an unknown model is null. */
  models(workspaceId: string, range: Period): Promise<ModelUse[]>;
  /** Returns the start of the newest entry, or of its UTC hour; 0 = there is none. */
  newestCallAt(workspaceId: string): Promise<number>;
  /** Returns the start of the first and the newest call of a key since a time; null = none. */
  keySeen(workspaceId: string, keyId: string, since: number): Promise<KeySeen | null>;
  /** Returns the calls that reached a provider and that a limit of the scope counts, with what they held. */
  callHolds(workspaceId: string, query: CallHoldsQuery): Promise<CallHolds>;
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
