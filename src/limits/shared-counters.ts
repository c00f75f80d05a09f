import type { CounterPlace, CounterState, HeldAmount } from '../domain/limits/limit.ts';
import { counterKey } from '../leases/exchange.ts';
import type { CounterLeases } from './counter-lease.ts';
import type { LimitCounter } from './counter.ts';
import type { CounterSeries } from './counter-series.ts';

/** Usage of ended calls of this node that the ledger does not have yet. */
export type UnshippedUse = Pick<CounterState, 'counted' | 'uncertain'>;

/** Limits that this process shares with other nodes. */
export interface SharedCounters extends CounterLeases {
  /** Notes an ended call. The ledger will have it later. */
  ended(counter: LimitCounter, counted: number, uncertain: number): void;
  /** The ledger has this node's calls up to this position of the journal. */
  shippedTo(mark: number): void;
  /** Returns what ended calls of this node count that the ledger does not have. */
  unshipped(counter: LimitCounter): UnshippedUse;
}

/** Counts of the ledger, which has calls of all nodes. */
export interface SharedTotals {
  /** It has this node's calls up to this position of the journal. */
  readonly mark: number;
  readonly counters: readonly CounterState[];
  /** Held by open calls of other nodes; nothing under counters that are not listed. */
  readonly held: readonly HeldAmount[];
}

/** Sets counters to what all nodes have counted. Returns the changed ones. */
export function applyTotals(
  shared: SharedCounters,
  { mark, counters, held }: SharedTotals,
  find: (counter: number) => CounterSeries | undefined,
  now: number,
): LimitCounter[] {
  shared.shippedTo(mark);
  const heldElsewhere = new Map(held.map((each) => [counterKey(each), each.held]));
  return counters.flatMap((state) => {
    const series = find(state.counter);
    series?.roll(now);
    const counter = series?.counterOf(state);
    if (!counter) return [];
    const use = shared.unshipped(counter);
    return counter.setTotal(state, use, heldElsewhere.get(counterKey(state)) ?? 0) ? [counter] : [];
  });
}

/** Lists the counters in memory, and those of limits without values; not those of sessions, agents and runs. */
export function* listSharedPlaces(all: Iterable<CounterSeries>, now: number): Generator<CounterPlace, undefined> {
  for (const series of all) {
    if (series.onDemand) continue;
    series.roll(now);
    if (series.eachValue) for (const { place } of series.counters()) yield place;
    else yield series.counterNamed('').place;
  }
}
