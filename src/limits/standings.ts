import { amountIn } from '../domain/limits/counting.ts';
import { amountAt, type CounterStatus } from '../domain/limits/limit.ts';
import type { CounterSeries } from './counter-series.ts';
import type { LimitCounter } from './counter.ts';
import type { Hold } from './hold.ts';

/** Larger than any share. */
const MILD = 2;

/**
 * Returns the standing of a hold's fullest counter, by the share left for further calls; null = it has no counters.
 * An open call is over by then, and its hold is not what it costs: it is left out, except in limits on calls. Limits
 * that only warn, or are free again with the call, count only where there are no others.
 */
export function findTightestCounter(hold: Hold, isOpen: boolean, now: number): CounterStatus | null {
  let [tightest, least, tightestOwn]: [LimitCounter | null, number, number] = [null, Number.POSITIVE_INFINITY, 0];
  for (const counter of hold.counters) {
    const { limit } = counter;
    const own = isOpen && limit.unit !== 'calls' ? amountIn(limit.unit, hold.need) : 0;
    const isMild = limit.action === 'warn' || limit.unit === 'concurrency';
    const share = counter.left(now, own) / Math.max(1, amountAt(limit, now)) + (isMild ? MILD : 0);
    if (share < least) [tightest, least, tightestOwn] = [counter, share, own];
  }
  return tightest?.standing(now, tightestOwn) ?? null;
}

/** Returns the standings of a limit's fullest counters. */
export function findFullest(series: CounterSeries, now: number, most: number): CounterStatus[] {
  series.roll(now);
  const fullness = ({ counted, held }: CounterStatus): number => Number(counted) + Number(held);
  return series
    .standings(now)
    .toSorted((a, b) => fullness(b) - fullness(a))
    .slice(0, most);
}
