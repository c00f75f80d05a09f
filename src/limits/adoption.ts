import { amountIn } from '../domain/limits/counting.ts';
import type { CounterRef } from '../domain/limits/limit.ts';
import { windowAt } from '../domain/time/window.ts';
import type { CallBegin } from '../domain/usage/call.ts';
import type { SlotSet } from '../lib/concurrency/slots.ts';
import type { CounterSeries } from './counter-series.ts';
import type { LimitCounter } from './counter.ts';
import type { Hold } from './hold.ts';
import { type LimitSubject, ScopeIndex } from './scope-index.ts';

/** Adds the open calls that began in the open window to a new limit. */
export function adoptOpenCalls(series: CounterSeries, open: SlotSet<Hold>): void {
  const { limit, period } = series;
  const matching = new ScopeIndex();
  matching.add(series);
  open.each((hold) => {
    const { subject, startedAt, need } = hold;
    if (limit.workspaceId !== subject.workspaceId || startedAt < period.start) return;
    const found: CounterSeries[] = [];
    matching.find(subject, found);
    if (found.length === 0) return;
    const counters: LimitCounter[] = [];
    series.collect(subject, startedAt, counters);
    for (const counter of counters) {
      counter.lease?.openNew();
      counter.hold(amountIn(limit.unit, need));
    }
    hold.counters.push(...counters);
    hold.adopted += counters.length;
  });
}

/**
 * Returns the counters of limits that were created while a dead process had this call open. Its end must name them,
 * because its begin does not. A backfill finds the call for a limit that still waits for one; limits on each session,
 * agent or run have none.
 * @param matching series that count the call
 */
export function findAdoptedLate(
  matching: readonly CounterSeries[],
  subject: LimitSubject,
  { startedAt, touched }: Pick<CallBegin, 'startedAt' | 'touched'>,
): CounterRef[] {
  const touches: CounterRef[] = [];
  for (const series of matching) {
    const { counter, unit, window, zones } = series.limit;
    const isBackfilled = !series.hasPast && !series.onDemand;
    if (isBackfilled || unit === 'concurrency' || touched.some((touch) => touch.counter === counter)) continue;
    const { start } = windowAt(window, startedAt, zones);
    if (start < series.period.start) continue;
    for (const value of series.values(subject)) touches.push({ counter, unit, windowStart: start, value });
  }
  return touches;
}
