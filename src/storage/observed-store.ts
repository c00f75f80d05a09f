import type { JoinKind } from '../domain/observed/join-calls.ts';
import type { ObservedCall, ObservedCost } from '../domain/observed/observed-call.ts';
import type { Period } from '../domain/time/period.ts';
import type { UsageTotals } from '../domain/usage/usage-totals.ts';
import type { TagRow } from './usage-queries.ts';
import type { PricingOf } from './session-store.ts';

/** Observed calls of one request. */
export interface ObservationBatch {
  readonly workspaceId: string;
  readonly calls: readonly ObservedCall[];
  /** Time of arrival. */
  readonly at: number;
}

export interface ObserveResult {
  /** Calls that were not known. */
  readonly stored: number;
  /** Calls that were known by their `observationId`, and changed nothing. */
  readonly known: number;
}

/** A change of what an observed call adds to sums, after it was first counted or joined. */
export interface ObservedAdjustment {
  readonly recordedAt: number;
  /** nano-USD; 0 = not counted, null = unknown. */
  readonly costBefore: number | null;
  readonly costAfter: number | null;
  readonly reason: 'gateway' | 'repeated' | 'released' | 'price';
}

/** An observed call with its current state. */
export interface RecordedObservation extends ObservedCost {
  readonly call: ObservedCall;
  readonly recordedAt: number;
  readonly state: 'counted' | 'joined' | 'repeated';
  /** Gateway call or observation that has the figures; null = this one has. */
  readonly figuresOf: string | null;
  /** null = not joined to a gateway call. */
  readonly joinedBy: JoinKind | null;
  /** Gateway calls that may be this one. */
  readonly possibleDuplicates: readonly string[];
  readonly adjustments: readonly ObservedAdjustment[];
}

export interface ObservedQuery {
  readonly range: Period;
  /** Only calls that may be gateway calls as well. Default: all. */
  readonly possibleDuplicates?: boolean;
  /** Opaque; null = from the newest. */
  readonly cursor: string | null;
  readonly limit: number;
}

/** A tag by which counted calls are summed. */
export interface CountedTag {
  readonly key: string;
  /** Only calls with this value; null = those of each value, of at most `valuesMax` values with the highest cost. */
  readonly value: string | null;
  readonly valuesMax: number;
}

/** Counted calls of one model, and of one value of a tag where they are summed by it. */
export interface CountedSum {
  /** '' = not summed by a tag. */
  readonly value: string;
  readonly provider: string;
  readonly model: string;
  readonly totals: UsageTotals;
}

/**
 * Calls that telemetry and usage events report. Each is stored once and never edited; what it adds to the sums of
 * `SessionStore.sums` follows from the gateway calls and observations that have an id in common with it, and changes
 * when one of them arrives later.
 */
export interface ObservedStore {
  /** Stores calls and joins them, in one transaction. Throws `unprocessable` above the maximum of models. */
  observe(observation: ObservationBatch, pricingOf: PricingOf): Promise<ObserveResult>;
  /** Joins at most `limit` calls again to which a gateway call arrived, or that had no price. Returns how many. */
  joinMarked(pricingOf: PricingOf, at: number, limit: number): Promise<number>;
  /** Marks calls without a price for joining again. */
  markUnpriced(workspaceId: string): Promise<void>;
  page(workspaceId: string, query: ObservedQuery): Promise<{ rows: RecordedObservation[]; next: string | null }>;
  /** Returns the observations of gateway calls, unsorted. */
  ofCalls(workspaceId: string, callIds: readonly string[]): Promise<RecordedObservation[]>;
  /**
   * Sums counted calls that began in a range, by model and by the values of a tag; null = all calls. Calls that may be
   * gateway calls which arrived, but are not joined again yet, are left out: read after a counter of a limit, the two never
   * have the same call. Of partial hours, calls that retention deleted are left out. Unsorted.
   */
  countedSums(workspaceId: string, range: Period, tag: CountedTag | null): Promise<CountedSum[]>;
  /** Sums counted calls by the values of a tag, unsorted. Calls that retention deleted are left out. */
  byTag(workspaceId: string, tagKey: string, range: Period): Promise<TagRow[]>;
  /** Deletes calls that began before `before`, at most `limit`, in sessions without records. Sums stay. */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}
