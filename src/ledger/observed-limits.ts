import { setImmediate } from 'node:timers/promises';
import type { Alert } from '../domain/alerts/alert.ts';
import {
  addObserved,
  type CounterStatus,
  countsEachValue,
  type Limit,
  VALUES_PER_LIMIT_MAX,
} from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';
import { MINUTE_MS } from '../domain/time/units.ts';
import { windowAt } from '../domain/time/window.ts';
import type { Job } from '../jobs/schedule.ts';
import type { Clock } from '../lib/clock.ts';
import { thresholdAlert } from '../limits/alerts.ts';
import { passedThreshold } from '../limits/counter-alerts.ts';
import { ALERTED_VALUES_MAX } from '../limits/counter-series.ts';
import type { CounterStore, PricedAs } from '../storage/counter-store.ts';
import { type ObservedAmount, readObservedAmounts } from '../storage/limit-usage.ts';
import type { ObservedStore } from '../storage/observed-store.ts';
import type { Records } from '../storage/records/records.ts';
import { toStanding } from './limit-service.ts';

/**
 * Limits that count observed calls as well: their figure is the counter of the gateway plus a sum that is read when it
 * is needed. The gateway does not know the sum, so it never refuses a call for it.
 */
interface ObservedLimitParts {
  readonly observed: Pick<ObservedStore, 'countedSums'>;
  readonly pricedAs: (workspaceId: string) => PricedAs;
  readonly clock: Clock;
}

interface WatchParts extends ObservedLimitParts {
  readonly records: Pick<Records, 'limits'>;
  readonly counters: Pick<CounterStore, 'read' | 'fullest'>;
  readonly raise: (alert: Alert) => Promise<void>;
}

/** Telemetry and events of a window that ended so long ago still raise an alert. */
const LATE_MS = 10 * MINUTE_MS;

/** Adds what observed calls used to the status of those limits that count it. */
export async function addObservedUsage(
  parts: ObservedLimitParts,
  limits: readonly Limit[],
  own: readonly CounterStatus[],
): Promise<readonly CounterStatus[]> {
  const counting = limits.filter(({ countsObserved }) => countsObserved);
  if (counting.length === 0) return own;
  const now = parts.clock();
  const ids = new Set(counting.map(({ id }) => id));
  const all = own.filter(({ limit }) => !ids.has(limit.id));
  for (const limit of counting) {
    const window = windowAt(limit.window, now, limit.zones);
    const amounts = await readObservedAmounts(parts.observed, limit, window, parts.pricedAs(limit.workspaceId));
    const known = own.filter((status) => status.limit.id === limit.id && status.windowStart === window.start);
    all.push(...withAmounts(limit, window, known, amounts, now));
  }
  return all;
}

/** Returns the counters with what observed calls used, and counters of values that only those have. */
function withAmounts(
  limit: Limit,
  window: Period,
  known: readonly CounterStatus[],
  amounts: ReadonlyMap<string, ObservedAmount>,
  now: number,
): CounterStatus[] {
  const values = new Set(known.map(({ value }) => value));
  const others = (countsEachValue(limit.scope) ? [...amounts.keys()] : ['']).filter((value) => !values.has(value));
  const empty = others.map((value) => {
    const state = { counter: limit.counter, windowStart: window.start, value, counted: 0, uncertain: 0 };
    return toStanding(limit, state, window, now);
  });
  return [...known, ...empty].map((status) => addObserved(status, amounts.get(status.value) ?? NOTHING));
}

const NOTHING: ObservedAmount = { counted: 0, uncertain: 0 };

/**
 * Alerts thresholds of limits that count observed calls. The gateway leaves these to this job, so that one figure decides.
 * Raising the same alert again changes nothing but its text.
 */
export function watchObservedLimitsJob(parts: WatchParts): Job {
  return {
    name: 'watch_observed_limits',
    everyMs: MINUTE_MS,
    async run(signal) {
      for (const limit of await parts.records.limits.countingObserved()) {
        const now = parts.clock();
        const recent = [now - LATE_MS, now].map((at) => windowAt(limit.window, at, limit.zones));
        for (const window of new Map(recent.map((one) => [one.start, one])).values()) {
          if (signal.aborted) return;
          await alertThresholds(parts, limit, window, now);
          await setImmediate();
        }
      }
    },
  };
}

async function alertThresholds(parts: WatchParts, limit: Limit, window: Period, now: number): Promise<void> {
  const place = { counter: limit.counter, windowStart: window.start };
  // First: a call that the gateway has counted is then in no sum of observed calls.
  const states = countsEachValue(limit.scope)
    ? await parts.counters.fullest(place, VALUES_PER_LIMIT_MAX)
    : await parts.counters.read([{ ...place, value: '' }]);
  const known = states.map((state) => toStanding(limit, state, window, now));
  const amounts = await readObservedAmounts(parts.observed, limit, window, parts.pricedAs(limit.workspaceId));
  const passed = withAmounts(limit, window, known, amounts, now)
    .filter(({ counted }) => counted > 0)
    .map((standing) => {
      const threshold = passedThreshold(limit.thresholds, standing.counted, standing.amount);
      return { standing, threshold };
    })
    .filter(({ threshold }) => threshold > 0)
    .toSorted((a, b) => Number(b.standing.counted) - Number(a.standing.counted));
  for (const [index, { standing, threshold }] of passed.slice(0, ALERTED_VALUES_MAX).entries())
    await parts.raise(thresholdAlert(standing, threshold, index === ALERTED_VALUES_MAX - 1, now));
}
