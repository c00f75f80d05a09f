import type { CounterMove, CounterState, Limit } from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';

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
  backfill(limit: Limit, window: Period, pricedAs: PricedAs): Promise<CounterState[]>;
  /**
   * What the counters of a window hold, and should by the sum of all matching entries, released parts left out. Entries match
   * a limit of models by what they asked for, as the ledger goes; where there are too many of them, or some are gone, by
   * what answered: then the sum is only near.
   */
  recount(limit: Limit, window: Period, pricedAs: PricedAs): Promise<CounterRecount>;
  /**
   * The same by the entries that name the counter, and those that were there before the limit: exact for a limit of models
   * too. null = there are too many entries, or some are gone.
   */
  recountNamed(limit: Limit, window: Period): Promise<CounterRecount | null>;
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
