import type { CounterRef } from '../limits/limit.ts';
import type { CostProvenance } from '../pricing/provenance.ts';
import type { CallContext } from './call-context.ts';
import { LOCAL_SOURCES } from '../sessions/local-call.ts';
import type { Usage } from './usage.ts';

/** Sources of usage. */
export const ENTRY_SOURCES = ['proxy', 'provider_report', ...LOCAL_SOURCES, 'telemetry', 'usage_event'] as const;
export type EntrySource = (typeof ENTRY_SOURCES)[number];

/** Properties by which usage is grouped. */
export const DIMENSIONS = [
  'source',
  'provider',
  'model',
  'key',
  'status',
  'tag',
  'session',
  'agent',
  'run',
  'request_class',
] as const;
export type SeriesDimension = (typeof DIMENSIONS)[number];

/** Properties by which usage is also grouped within a first one. */
export type SecondDimension = Exclude<SeriesDimension, 'tag'>;
export const SECOND_DIMENSIONS = DIMENSIONS.filter((dimension) => dimension !== 'tag');

/**
 * Outcomes of a call:
 * - `completed`   the provider finished its answer
 * - `failed`      the provider answered with an error status: not charged
 * - `broken`      the connection or the answer broke after the request was sent
 * - `client_left` the client disconnected before the end of the answer
 * - `lost`        this process died while the call was running
 * - `not_sent`    no byte reached the provider: not counted, not in totals
 */
export const CALL_OUTCOMES = ['completed', 'failed', 'broken', 'client_left', 'lost', 'not_sent'] as const;
export type CallOutcome = (typeof CALL_OUTCOMES)[number];

/**
 * Reasons for an uncertain cost; null = certain. `no_price` alone means known usage without a price; `length_tier`: only
 * the total of several passes is known, and the price depends on the longest; `container_size`: a container of unknown
 * size was used, and its fee is not in the cost; `unlisted_fee`: the provider may charge a fee that no price list has, and it
 * is not in the cost; `other_billing`: the provider may bill less, or someone else; `background`: the provider still works on
 * the response or batch, or did when its connection ended, and it is read later.
 */
export const UNCERTAIN_REASONS = [
  'no_price',
  'no_usage',
  'length_tier',
  'container_size',
  'unlisted_fee',
  'other_billing',
  'background',
  'unreadable',
  'client_left',
  'reset',
  'timeout',
  'error_event',
  'truncated',
  'overrun',
  'crash',
] as const;
export type UncertainReason = (typeof UNCERTAIN_REASONS)[number];

/** Operation of a call that creates a batch of requests. */
export const BATCHES = 'batches';

/** `reported`: by the provider; `counted`: estimated from what was delivered; `none`: nothing is known. */
export type UsageSource = 'reported' | 'counted' | 'none';

/** Amounts that limits count for a call, or that a running call holds. */
export interface CallAmounts {
  /** nano-USD; null = the model has no price. */
  readonly usd: number | null;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Maxima that the gateway wrote into a request so that it fits under its limits; null = as the client asked. */
export interface ShortenedTo {
  /** Output tokens of one answer. */
  readonly outputTokens: number | null;
  /** Uses of the provider's tools. */
  readonly toolUses: number | null;
}

/** The requests of a batch. */
export interface BatchFacts {
  readonly requests: number;
  /** The most that one of them can use and cost; usd null = it has no price. */
  readonly largest: CallAmounts;
}

/** Facts about a call on which the provider works on, for the job that reads its end. */
export interface OpenWork {
  /** Headers of its request that choose an account of the provider key. */
  readonly headers: Readonly<Record<string, string>>;
  /** Absent = it is no batch. */
  readonly batch?: BatchFacts;
}

/** Journaled before the call leaves for the provider. Times are epoch milliseconds. */
export interface CallBegin {
  /** Sortable by time, unique for ever. */
  readonly callId: string;
  readonly workspaceId: string;
  readonly keyId: string;
  readonly provider: string;
  /** Name of the provider's operation, for instance `messages`. */
  readonly operation: string;
  readonly requestedModel: string | null;
  readonly stream: boolean;
  readonly tags: Readonly<Record<string, string>>;
  /** Hash of the client's session id, or null. */
  readonly sessionHash: string | null;
  readonly context: CallContext;
  /** null = sent as the client asked. */
  readonly shortenedTo: ShortenedTo | null;
  readonly startedAt: number;
  /** The client's own subscription pays; absent = the provider key does. */
  readonly isSubscription?: true;
  /** Absent = the call ends with its response. */
  readonly openWork?: OpenWork;
  readonly hold: CallAmounts;
  /** Counters of limits that the call counts under. */
  readonly touched: readonly CounterRef[];
}

/** Costs of a call by prices, nano-USD. */
export interface PricedCosts {
  /** Cost at listed and custom prices. */
  readonly list: number;
  /** Cost at prices by contract. */
  readonly contracted: number;
}

/** Bases of the cost in sums. */
export const COST_BASES = ['effective', 'contracted', 'list'] as const;
export type CostBasis = (typeof COST_BASES)[number];

/** Journaled before the answer's last piece is released to the client. */
export interface CallEnd {
  readonly callId: string;
  readonly endedAt: number;
  readonly outcome: CallOutcome;
  readonly uncertainReason: UncertainReason | null;
  /** HTTP status of the provider's answer; 0 = there was none. */
  readonly status: number;
  readonly usageSource: UsageSource;
  readonly usage: Usage | null;
  /** The model that answered, else the requested one. */
  readonly model: string | null;
  /** Effective cost, nano-USD; null = unknown. */
  readonly cost: number | null;
  /** Costs by prices where they are not its cost; absent = they are the same, or unknown. */
  readonly priced?: PricedCosts;
  readonly counted: CallAmounts;
  /** Source of `cost`; null = unknown, or not charged. */
  readonly provenance: CostProvenance | null;
  readonly requestId: string | null;
  readonly responseId: string | null;
  /** Milliseconds from the call's begin to the answer's first byte; null = none came. */
  readonly firstByteMs: number | null;
  /** Word by which the provider names its error; absent = none. Never its sentence, which may quote the request. */
  readonly errorType?: string;
  /** Counters of limits that were created while the call was running; absent = none. */
  readonly adopted?: readonly CounterRef[];
}

/** A recorded call. */
export type Entry = CallBegin & CallEnd & { readonly source: EntrySource };

/** The cost is not known for sure (apart from a merely missing price). */
export function isUncertain(entry: Pick<CallEnd, 'uncertainReason'>): boolean {
  return entry.uncertainReason !== null && entry.uncertainReason !== 'no_price';
}

/** The provider may still work on a batch, also if its id was lost: all of its requests may be charged. */
export function isOpenBatch({ operation, uncertainReason }: Pick<Entry, 'operation' | 'uncertainReason'>): boolean {
  return operation === BATCHES && isUncertain({ uncertainReason });
}

/** The usage is known and its price is not. */
export function isUnpriced(entry: Pick<CallEnd, 'uncertainReason'>): boolean {
  return entry.uncertainReason === 'no_price';
}

/** Returns the amount that limits count beyond the effective cost, in nano-USD. */
export function uncertainUpTo(entry: Pick<CallEnd, 'uncertainReason' | 'counted' | 'cost'>): number {
  if (!isUncertain(entry)) return 0;
  return Math.max(0, (entry.counted.usd ?? 0) - (entry.cost ?? 0));
}
