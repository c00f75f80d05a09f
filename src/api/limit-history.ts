import { LIMITS } from '../config.ts';
import type { LimitHistory } from '../contract/limits.ts';
import { isoOrNull } from '../contract/fields.ts';
import { countedTotal } from '../domain/limits/counting.ts';
import { shownAmount } from '../domain/limits/limit-fields.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Limit, LimitWindow } from '../domain/limits/limit.ts';
import { bucketStarts, type Period, type PeriodStep, readInstant, toIso } from '../domain/time/period.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { windowAt } from '../domain/time/window.ts';
import { readLimitUsage, readObservedAmounts } from '../storage/limit-usage.ts';
import { endpoint } from './http/endpoint.ts';
import type { LimitServices } from './limits.ts';

const STEPS: Readonly<Record<LimitWindow, PeriodStep>> = {
  minute: 'minute',
  hour: 'minute',
  day: 'hour',
  week: 'hour',
  month: 'day',
  total: 'day',
};

/** Days shown of a limit that never resets. */
const TOTAL_DAYS = 30;

export const getLimitHistory = endpoint(
  'GET /api/manage/limits/{id}/history',
  async ({ caller, path, query }, services: LimitServices): Promise<LimitHistory> => {
    const { records, reports, clock } = services;
    const limit = await records.limits.get(caller.workspaceId, path.id);
    if (limit.scope.kind === 'each')
      throw new TollbookError(
        'unprocessable',
        `This limit counts each ${limit.scope.of} separately. Read GET /api/mcp/usage/series with ${limit.scope.of}= instead.`,
      );
    const { timeZone } = await records.workspaces.get(caller.workspaceId);
    const now = clock();
    const period = shownWindow(limit, query.at === undefined ? now : Math.min(now, readInstant(query.at, 'at')));
    const step = STEPS[limit.window];
    const starts = bucketStarts(period, step, timeZone);
    const buckets = starts.filter((start) => start <= now);
    const usage = await readLimitUsage(reports, {
      limit,
      value: query.value ?? '',
      range: { start: period.start, end: Math.min(period.end, now + 1) },
      buckets,
      entriesMax: LIMITS.reportEntriesMax,
    });
    const observed = await readObservedSteps(services, limit, query.value ?? '', buckets, period.end);
    const counted = buckets.map((start, index) => {
      const totals = usage.get(start);
      const ofGateway = totals ? countedTotal(limit.unit, totals) : 0;
      return shownAmount(limit.unit, ofGateway + (observed[index] ?? 0));
    });
    const end = limit.window === 'total' ? null : period.end;
    return {
      period: { start: toIso(period.start), end: isoOrNull(end) },
      step,
      timeZone,
      starts: starts.map(toIso),
      counted,
    };
  },
);

/** Returns what observed calls used in each step; empty = the limit does not count them. */
async function readObservedSteps(
  { observed, pricingOf }: Pick<LimitServices, 'observed' | 'pricingOf'>,
  limit: Limit,
  value: string,
  starts: readonly number[],
  end: number,
): Promise<number[]> {
  if (!limit.countsObserved) return [];
  const { pricedAs } = pricingOf(limit.workspaceId);
  const steps: number[] = [];
  for (const [index, start] of starts.entries()) {
    const amounts = await readObservedAmounts(observed, limit, { start, end: starts[index + 1] ?? end }, pricedAs);
    steps.push(Number(amounts.get(value)?.counted ?? 0));
  }
  return steps;
}

/** Returns the window at an instant; of a limit that never resets, the last days. */
function shownWindow({ window, zones }: Limit, at: number): Period {
  return window === 'total' ? { start: at - TOTAL_DAYS * DAY_MS, end: at + 1 } : windowAt(window, at, zones);
}
