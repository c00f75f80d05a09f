import { setImmediate } from 'node:timers/promises';
import type { Alert } from '../domain/alerts/alert.ts';
import { type CountedHour, type LimitForecast, forecastLimit } from '../domain/limits/forecast-limit.ts';
import { type Limit, needsPlace, type CounterStatus, type LimitWindow } from '../domain/limits/limit.ts';
import { forecastAlert, forecastEpisode, isForecast } from '../detection/forecast-alert.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Records } from '../storage/records/records.ts';
import { claimedJob } from './claimed-job.ts';
import { forEachWorkspace, type Job } from './schedule.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { Workspace } from '../storage/records/workspaces.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';
import { readLimitUsage } from '../storage/limit-usage.ts';

const NAME = 'forecast_limits';
const EVERY_MS = 15 * 60_000;
const WINDOWS: readonly LimitWindow[] = ['day', 'week', 'month', 'total'];
/** History for the seasonality of a forecast. */
const HISTORY_MS = 28 * DAY_MS;
/** Forecast range of a limit without an end. */
const AHEAD_MS = 7 * DAY_MS;
/** Above this part of the amount, threshold alerts are enough. */
const NEARLY_OVER = 0.8;
/** Below this part of the amount an alert ends. It is lower than 1, so that alerts don't flap. */
const SURELY_BELOW = 0.9;
/** A limit far from its amount is skipped: by linear extrapolation, after a quarter of its window. */
const LINE_FROM = 0.25;
const LINE_BELOW = 0.5;
/** Counters of one workspace to forecast per turn, fullest first. */
const COUNTERS_MAX = 200;
/** Limits per request to the gateway, which has calls to serve. */
const ASKED_AT_ONCE_MAX = 200;

export interface ForecastParts {
  readonly reports: Pick<UsageQueries, 'series'>;
  readonly records: Pick<Records, 'workspaces' | 'limits' | 'alerts' | 'jobs'>;
  readonly standings: (limits: readonly Limit[]) => Promise<readonly CounterStatus[]>;
  readonly clock: Clock;
  readonly log: Log;
  readonly runner: string;
  readonly raise: (alert: Alert) => Promise<void>;
}

/**
 * Raises an alert, once per window, for a limit in dollars that is forecast to be used up before the window ends.
 */
export function forecastLimitsJob(parts: ForecastParts): Job {
  return claimedJob(parts, {
    name: NAME,
    everyMs: EVERY_MS,
    run: (signal) => forEachWorkspace(parts, NAME, signal, (workspace) => forecastAll(parts, workspace, signal)),
  });
}

async function forecastAll(parts: ForecastParts, workspace: Workspace, signal: AbortSignal): Promise<void> {
  const { records, clock, standings, raise } = parts;
  const { id, timeZone } = workspace;
  const limits = (await records.limits.list(id)).filter(hasForecast);
  const open = (await records.alerts.open(id, ['BUDGET_WARNING'])).filter(isForecast);
  const here = new Set(limits.map((limit) => limit.id));
  for (const { episode, scope } of open)
    if (!here.has(scope['limit'] ?? '')) await records.alerts.resolve(id, episode, clock());
  if (limits.length === 0) return;
  const near: CounterStatus[] = [];
  for (let at = 0; at < limits.length && !signal.aborted; at += ASKED_AT_ONCE_MAX)
    for (const standing of await standings(limits.slice(at, at + ASKED_AT_ONCE_MAX)))
      if (standing.counted > 0 && (standing.value === '' || needsPlace(standing.value))) near.push(standing);
  const fullest = near.toSorted((a, b) => usedPart(b) - usedPart(a)).slice(0, COUNTERS_MAX);
  for (const standing of fullest) {
    if (signal.aborted) return;
    const now = clock();
    const raised = open.find(({ episode }) => episode === forecastEpisode(standing));
    if (!raised && (usedPart(standing) >= NEARLY_OVER || isFar(standing, now))) continue;
    const forecast = await forecastStanding(parts, standing, timeZone, now);
    if (!raised && forecast && forecast.passesAt !== null)
      await raise(forecastAlert(standing, forecast, timeZone, now));
    if (raised && usedPart(standing) < 1 && (forecast?.expected ?? 0) < SURELY_BELOW * standing.amount)
      await records.alerts.resolve(id, raised.episode, now);
    await setImmediate();
  }
}

/** A session, agent or run has no weeks before it: the hours of all of them say nothing about one. */
function hasForecast({ unit, window, scope }: Limit): boolean {
  return unit === 'usd' && WINDOWS.includes(window) && scope.kind !== 'each';
}

function usedPart({ counted, amount }: CounterStatus): number {
  return amount === 0 ? 0 : Number(counted) / amount;
}

function isFar(standing: CounterStatus, now: number): boolean {
  const { windowStart, windowEnd } = standing;
  if (windowEnd === null) return false;
  const elapsed = (now - windowStart) / (windowEnd - windowStart);
  return elapsed > LINE_FROM && usedPart(standing) / elapsed < LINE_BELOW;
}

async function forecastStanding(
  { reports }: ForecastParts,
  { limit, value, counted, amount, windowStart, windowEnd }: CounterStatus,
  timeZone: string,
  now: number,
): Promise<LimitForecast | null> {
  const since = Math.floor((now - HISTORY_MS) / HOUR_MS) * HOUR_MS;
  const history = { start: since, end: Math.ceil(now / HOUR_MS) * HOUR_MS };
  // Hours have no observed calls. Without hours, the forecast of a limit that counts those is a line.
  const hours = limit.countsObserved ? [] : await listCountedHours(reports, limit, value, history);
  const input = { now, hours, since, timeZone };
  if (windowEnd !== null)
    return forecastLimit({
      ...input,
      window: { start: windowStart, end: windowEnd },
      counted: Number(counted),
      amount,
    });
  // Without an end: a window of the last weeks and the next days, in which the remaining amount must not be used up.
  const recent = hours.reduce((sum, hour) => sum + hour.counted, 0);
  const window = { start: since, end: now + AHEAD_MS };
  const more = Number(counted) - recent;
  const forecast = forecastLimit({ ...input, window, counted: recent, amount: amount - more });
  return forecast && { ...forecast, expected: forecast.expected + more, quiet: forecast.quiet + more };
}

async function listCountedHours(
  reports: Pick<UsageQueries, 'series'>,
  limit: Limit,
  value: string,
  range: { readonly start: number; readonly end: number },
): Promise<CountedHour[]> {
  const buckets = Array.from(
    { length: Math.ceil((range.end - range.start) / HOUR_MS) },
    (_, hour) => range.start + hour * HOUR_MS,
  );
  const sums = await readLimitUsage(reports, { limit, value, range, buckets });
  return [...sums].map(([hour, { cost }]) => ({ hour, counted: Number(cost) }));
}
