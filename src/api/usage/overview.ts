import { sumTotals, type UsageTotals } from '../../domain/usage/usage-totals.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { type DaySpend, forecastSpend } from '../../domain/limits/forecast-spend.ts';
import { bucketStarts, toIso, nextLocalDay, offsetAt, type Period, startOfDay } from '../../domain/time/period.ts';
import { windowAt } from '../../domain/time/window.ts';
import { type OverviewShape, type SpendShape } from '../../contract/overview.ts';
import { endpoint } from '../http/endpoint.ts';
import { explainChange } from './explain-change.ts';
import { uncertaintyFields } from './uncertainty.ts';
import { type UsageParts, usageParts, readUsageRows, withoutReports, type UsageServices } from './usage-rows.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { SeriesRow } from '../../storage/usage-queries.ts';

/** Days of history for a forecast. */
const HISTORY_DAYS = 28;
/** Days that are searched for any usage at all. */
const EVER_DAYS = 400;
const UNREAD_MAX = 1_000;
const LIMITS_SHOWN_MAX = 1_000;
const CHANGES_SHOWN = 5;
const WHOLE = { by: null, tagKey: null };
const BY_SOURCE = { by: 'source', tagKey: null } as const;

export const getOverview = endpoint(
  'GET /api/mcp/usage/overview',
  async ({ caller: { workspaceId } }, services: UsageServices) => {
    const { clock, records } = services;
    const now = clock();
    const parts = await usageParts(services, workspaceId);
    const { timeZone } = parts.plans;
    const live = withoutReports(parts);
    const times = overviewTimes(now, timeZone);
    const { today, yesterday, sameTime, month } = times;
    const days = await spentByDay(parts, times);
    const monthDays = days.filter(({ start }) => start >= month.start);
    const soFar = sumTotals(monthDays);
    const forecast = forecastSpend({
      now,
      spent: Number(soFar.cost),
      past: pastDays(days.filter(({ start }) => start < today.start)),
      today: { ...today, spent: Number(sumTotals(days.filter(({ start }) => start === today.start)).cost) },
      coming: Math.max(0, Math.round((month.end - today.end) / DAY_MS)),
    });
    return {
      at: toIso(now),
      timeZone,
      today: { start: toIso(today.start), ...spendView(sumTotals(days.filter(({ start }) => start === today.start))) },
      yesterday: {
        start: toIso(yesterday.start),
        byThisTime: spendView(sumTotals(await wholeRows(live, sameTime))),
        whole: spendView(sumTotals(days.filter(({ start }) => start === yesterday.start))),
      },
      month: {
        start: toIso(month.start),
        end: toIso(month.end),
        toDate: spendView(soFar),
        throughGateway: usdFromNano(monthDays.reduce((sum, { proxied }) => sum + proxied, 0n)),
      },
      forecast: forecast && {
        expected: usdFromNano(forecast.expected),
        low: usdFromNano(forecast.low),
        high: usdFromNano(forecast.high),
        basedOnDays: forecast.days,
      },
      changes: await explainChange(
        { ...live, records },
        {
          period: { start: today.start, end: now },
          comparedWith: sameTime,
          partsMax: CHANGES_SHOWN,
          than: 'yesterday by this time',
        },
      ),
      unreadAlerts: await records.alerts.countUnread(workspaceId, UNREAD_MAX),
      setup: await setupState(services, workspaceId, now),
    };
  },
);

interface OverviewTimes {
  readonly now: number;
  readonly timeZone: string;
  readonly today: Period;
  readonly yesterday: Period;
  /** The part of yesterday up to the current time of day. */
  readonly sameTime: Period;
  readonly month: Period;
}

function overviewTimes(now: number, timeZone: string): OverviewTimes {
  const zones = [{ zone: timeZone, since: 0 }];
  const today = windowAt('day', now, zones);
  const yesterday = windowAt('day', today.start - 1, zones);
  const sameEnd = Math.min(yesterday.end, yesterday.start + (now - today.start));
  const month = windowAt('month', now, zones);
  return { now, timeZone, today, yesterday, sameTime: { start: yesterday.start, end: sameEnd }, month };
}

interface SpentDay extends Period {
  readonly totals: UsageTotals;
  /** Cost of calls through the gateway, nano-USD. */
  readonly proxied: bigint;
}

/** Reads spend for each day of this month and the weeks before, including days without a call. */
async function spentByDay(parts: UsageParts, { now, timeZone, today, month }: OverviewTimes): Promise<SpentDay[]> {
  const start = Math.min(month.start, daysBefore(today.start, HISTORY_DAYS, timeZone));
  // A period excludes its end, and a day that has just begun counts as a day.
  const range = { start, end: Math.max(now, today.start + 1) };
  const buckets = bucketStarts(range, 'day', timeZone);
  const { rows } = await readUsageRows(parts, BY_SOURCE, range, buckets);
  return buckets.map((bucket, index) => {
    const ofDay = rows.filter((row) => row.bucket === bucket);
    return {
      start: bucket,
      end: buckets[index + 1] ?? today.end,
      totals: sumTotals(ofDay),
      proxied: sumTotals(ofDay.filter(({ value }) => value === 'proxy')).cost,
    };
  });
}

function daysBefore(day: number, count: number, timeZone: string): number {
  let local = Math.floor((day + offsetAt(day, timeZone)) / DAY_MS) * DAY_MS;
  local -= count * DAY_MS;
  return startOfDay(nextLocalDay(local - DAY_MS, 'day'), timeZone);
}

/** Returns complete days, from the first one with usage. */
function pastDays(days: readonly SpentDay[]): DaySpend[] {
  const first = days.findIndex(({ totals }) => totals.calls > 0);
  if (first < 0) return [];
  return days.slice(first).map(({ start, end, totals }) => ({ start, end, spent: Number(totals.cost) }));
}

async function wholeRows(parts: UsageParts, range: Period): Promise<readonly SeriesRow[]> {
  return range.start < range.end ? (await readUsageRows(parts, WHOLE, range, [range.start])).rows : [];
}

function spendView(totals: UsageTotals): SpendShape {
  return { cost: usdFromNano(totals.cost), calls: totals.calls, ...uncertaintyFields(totals) };
}

async function setupState(
  { records, reports, sessions }: Pick<UsageServices, 'records' | 'reports' | 'sessions'>,
  workspaceId: string,
  now: number,
): Promise<OverviewShape['setup']> {
  const ever = { start: Math.max(0, now - EVER_DAYS * DAY_MS), end: now + DAY_MS };
  const newest = await reports.entriesPage(workspaceId, { range: ever, filter: {}, cursor: null, limit: 1 });
  const live = (list: readonly { readonly revokedAt: number | null }[]): number =>
    list.filter(({ revokedAt }) => revokedAt === null).length;
  return {
    adminKeys: (await records.adminKeys.list(workspaceId)).length,
    accessTokens: live(await records.tokens.list(workspaceId)),
    wrappedKeys: live(await records.keys.list(workspaceId)),
    limits: (await records.limits.page(workspaceId, null, LIMITS_SHOWN_MAX)).length,
    webhooks: (await records.webhooks.list(workspaceId)).length,
    hasCalls: newest.rows.length > 0,
    hasSessions: (await sessions.sums(workspaceId, ever)).length > 0,
  };
}
