import type { CounterMove, CounterPlace, CounterState, Limit } from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';
import type { AgentParents } from '../domain/usage/call-context.ts';

/** Returns the name under which a provider's model is priced; null = no price. */
export type PricedAs = (provider: string, model: string) => string | null;

/** The time (epoch ms, exclusive) up to which uncertain entries of a counter are released. */
export interface UncertainRelease {
  readonly counter: number;
  readonly windowStart: number;
  readonly until: number;
}

/** All values of a counter in one window. */
export type CounterWindow = Pick<CounterPlace, 'counter' | 'windowStart'>;

export interface IdleCheck {
  readonly counter: number;
  readonly before: number;
  readonly after: string;
  readonly limit: number;
}

export interface AgentParentsQuery {
  readonly workspaceId: string;
  readonly keyId: string;
  /** null = calls that name no session. */
  readonly session: string | null;
  readonly agents: readonly string[];
  /** Agents in the answer, those of the query first. */
  readonly agentsMax: number;
  /** Parents of one agent. */
  readonly parentsMax: number;
}

export interface ReleaseResult {
  readonly moves: readonly CounterMove[];
  /** False = more remains. */
  readonly isDone: boolean;
}

/** The counters of one window, both at the same instant. */
export interface CounterRecount {
  /** Sums of the entries. */
  readonly expected: readonly CounterState[];
  readonly counted: readonly CounterState[];
}

/**
 * Counters of limits. `EntryStore.append` moves the counters that its entries name, in the same transaction, by what
 * each entry counts in the counter's unit (`domain/limits/counting.ts`). `adjust` moves the counters of an entry,
 * named or backfilled, by the difference that the correction makes. An uncertain call counts with its whole hold
 * until it is resolved. Counters of 0 are not stored.
 */
export interface CounterStore {
  /** Returns counters of windows that began at or after `from`, and those of `total`; of some limits or of all. */
  list(from: number, counters?: readonly number[]): Promise<CounterState[]>;
  /** Returns the parents that calls of a key named for agents of a session, and those of the agents above them. */
  agentParents(query: AgentParentsQuery): Promise<AgentParents[]>;
  /** Returns single counters, in the requested order; 0 if they are not stored. */
  read(places: readonly CounterPlace[]): Promise<CounterState[]>;
  /** Returns the counters of values in one window that have counted most, fullest first, without those of 0. */
  fullest(place: CounterWindow, limit: number): Promise<CounterState[]>;
  /**
   * Replaces a limit's counters of the window with the sum of the matching entries that began in it, and returns
   * them. Nothing is released. Not for limits with on-demand counters.
   */
  backfill(limit: Limit, window: Period, pricedAs: PricedAs): Promise<CounterState[]>;
  /**
   * Compares the counters of a window with the sum of the matching entries, without released parts. Limits of models
   * match requested models. If there are too many entries or some were pruned, they match answering models, and the
   * sum is approximate.
   */
  recount(limit: Limit, window: Period, pricedAs: PricedAs): Promise<CounterRecount>;
  /**
   * Compares with the entries that name the counter and with backfilled ones. Exact for limits of models too.
   * null = too many entries, or some were pruned.
   */
  recountNamed(limit: Limit, window: Period): Promise<CounterRecount | null>;
  /**
   * Releases the uncertain parts of a workspace's entries from a counter, each once, for as many entries as fit in
   * one turn. An entry that is recorded late and ended before the last released one is released immediately. Nothing
   * later is, so that a wrong clock releases nothing of future calls.
   */
  release(workspaceId: string, due: UncertainRelease): Promise<ReleaseResult>;
  /** Deletes counters of windows that began before a limit's `before`, except those of `total`. */
  prune(old: readonly { readonly counter: number; readonly before: number }[]): Promise<number>;
  /**
   * Deletes counters of `total` whose newest call began before an instant, among the next `limit` values after
   * `after`. Returns the last of these values; null = all are checked.
   */
  pruneIdle(check: IdleCheck): Promise<string | null>;
  /** Deletes all counters that are not listed and are lower than the highest listed number. */
  keepOnly(counters: readonly number[]): Promise<number>;
}
