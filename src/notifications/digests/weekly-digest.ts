import type { UsageTotals } from '../../domain/usage/usage-totals.ts';
import { ALERT_TYPES, type AlertType } from '../../domain/alerts/alert.ts';
import { FINDING_TYPES } from '../../domain/anomaly/finding.ts';
import { TollbookError } from '../../domain/errors.ts';
import type { CounterStatus, Limit } from '../../domain/limits/limit.ts';
import { offsetAt, type Period } from '../../domain/time/period.ts';
import type { Records } from '../../storage/records/records.ts';
import { windowAt } from '../../domain/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import type { Workspace } from '../../storage/records/workspaces.ts';
import type { SeriesRow, UsageQueries } from '../../storage/usage-queries.ts';
import type { SeriesDimension } from '../../domain/usage/call.ts';

/** Local time, on Mondays. */
const SENT_AT_HOUR = 8;

export interface DigestWeek {
  /** The last complete week, Monday to Sunday in the time zone, and the week before it. */
  readonly week: Period;
  readonly before: Period;
  /** Time at which the digest is sent, epoch ms. */
  readonly sentAt: number;
  /** Monday of the week, for example `2026-03-09`. */
  readonly monday: string;
}

export function digestWeek(now: number, timeZone: string): DigestWeek {
  const weekAt = (at: number): Period => windowAt('week', at, [{ zone: timeZone, since: 0 }]);
  const present = weekAt(now);
  const week = weekAt(present.start - 1);
  return {
    week,
    before: weekAt(week.start - 1),
    sentAt: localHour(present.start, timeZone),
    monday: new Date(week.start + offsetAt(week.start, timeZone)).toISOString().slice(0, 10),
  };
}

/** Returns the time of the sending hour. Daylight saving time may start or end between midnight and that hour. */
function localHour(midnight: number, timeZone: string): number {
  const local = midnight + offsetAt(midnight, timeZone);
  const early = Math.floor(local / DAY_MS) * DAY_MS + SENT_AT_HOUR * HOUR_MS;
  return early - offsetAt(midnight + SENT_AT_HOUR * HOUR_MS, timeZone);
}

/** Cost of one key, model or tag in two consecutive weeks. */
export interface CostChange {
  readonly name: string;
  /** Nano-USD. */
  readonly cost: bigint;
  readonly before: bigint;
}

/** Summary of a week, sent on the following Monday. Money is in nano-USD. */
export interface WeeklyDigest extends DigestWeek {
  readonly workspace: Workspace;
  readonly cost: bigint;
  readonly costBefore: bigint;
  readonly calls: number;
  readonly uncertainCalls: number;
  readonly unpricedCalls: number;
  /** The largest changes, up or down. */
  readonly keys: readonly CostChange[];
  readonly models: readonly CostChange[];
  readonly tags: readonly CostChange[];
  /** Limits that are nearly used up now, the fullest first; null = their state is unavailable. */
  readonly near: readonly CounterStatus[] | null;
  readonly keyNames: ReadonlyMap<string, string>;
  /** Alerts raised in the week. */
  readonly alerts: ReadonlyMap<AlertType, number>;
  readonly anomalies: number;
}

export interface DigestParts {
  readonly reports: Pick<UsageQueries, 'series' | 'tagKeys'>;
  readonly records: Pick<Records, 'workspaces' | 'limits' | 'alerts' | 'keys'>;
  readonly standings: (limits: readonly Limit[]) => Promise<readonly CounterStatus[]>;
  /** Returns the cost of unproxied usage: from provider reports and local sessions. */
  readonly unproxiedCost: (workspaceId: string, period: Period) => Promise<bigint>;
}

const CHANGES_MAX = 3;
/** Smaller changes are left out: a cent. */
const CHANGE_LEAST = 10_000_000n;
const TAG_KEYS_MAX = 20;
const NEAR_PART = 0.8;
const NEAR_MAX = 5;
/** Limits per request to the limits engine, which also has calls to serve. */
const ASKED_AT_ONCE_MAX = 200;
const ALERTS_MAX = 1_000;

export async function buildWeeklyDigest(parts: DigestParts, workspaceId: string, now: number): Promise<WeeklyDigest> {
  const { reports, records, unproxiedCost: besideCost } = parts;
  const workspace = await records.workspaces.get(workspaceId);
  const times = digestWeek(now, workspace.timeZone);
  const { week, before } = times;
  const two = twoWeeks(reports, workspaceId, times);
  const whole = await two(null);
  const inWeek = whole.filter(({ bucket }) => bucket === week.start);
  const tagKeys = (await reports.tagKeys(workspaceId)).slice(0, TAG_KEYS_MAX);
  const tags: CostChange[] = [];
  for (const tag of tagKeys) tags.push(...listChanges(await two('tag', tag), week.start, (value) => `${tag}=${value}`));
  const alerts = await countAlerts(records, workspaceId, week);
  return {
    ...times,
    workspace,
    cost: sumCost(whole, week.start) + (await besideCost(workspaceId, week)),
    costBefore: sumCost(whole, before.start) + (await besideCost(workspaceId, before)),
    calls: count(inWeek, 'calls'),
    uncertainCalls: count(inWeek, 'uncertainCalls'),
    unpricedCalls: count(inWeek, 'unpricedCalls'),
    keys: largest(listChanges(await two('key'), week.start, String)),
    models: largest(listChanges(await two('model'), week.start, String)),
    tags: largest(tags),
    near: await nearLimits(parts, workspaceId),
    keyNames: new Map((await records.keys.list(workspaceId)).map(({ id, name }) => [id, `"${name}"`])),
    alerts,
    anomalies: FINDING_TYPES.reduce((sum, type) => sum + (alerts.get(type) ?? 0), 0),
  };
}

function twoWeeks(reports: DigestParts['reports'], workspaceId: string, { week, before }: DigestWeek) {
  return (by: SeriesDimension | null, tagKey?: string): Promise<SeriesRow[]> =>
    reports.series(workspaceId, {
      range: { start: before.start, end: week.end },
      buckets: [before.start, week.start],
      by,
      ...(tagKey !== undefined && { tagKey }),
      filter: {},
    });
}

function listChanges(rows: readonly SeriesRow[], week: number, nameOf: (value: string) => string): CostChange[] {
  const named = rows.filter(({ value }) => value !== null);
  return [...Map.groupBy(named, ({ value }) => value ?? '')].map(([value, of]) => {
    const cost = sumCost(of, week);
    return { name: nameOf(value), cost, before: of.reduce((sum, { totals }) => sum + totals.cost, 0n) - cost };
  });
}

function largest(changes: readonly CostChange[]): CostChange[] {
  const size = ({ cost, before }: CostChange): bigint => (cost > before ? cost - before : before - cost);
  const real = changes.filter((change) => size(change) >= CHANGE_LEAST);
  return real.toSorted((a, b) => Number(size(b) - size(a))).slice(0, CHANGES_MAX);
}

function sumCost(rows: readonly SeriesRow[], bucket: number): bigint {
  return rows.reduce((sum, row) => (row.bucket === bucket ? sum + row.totals.cost : sum), 0n);
}

function count(rows: readonly SeriesRow[], of: 'calls' | 'uncertainCalls' | 'unpricedCalls'): number {
  return rows.reduce((sum, { totals }: { totals: UsageTotals }) => sum + totals[of], 0);
}

async function nearLimits({ records, standings }: DigestParts, workspaceId: string): Promise<CounterStatus[] | null> {
  const limits = (await records.limits.list(workspaceId)).filter(({ unit }) => unit !== 'concurrency');
  try {
    const near: CounterStatus[] = [];
    for (let at = 0; at < limits.length; at += ASKED_AT_ONCE_MAX) {
      const some = await standings(limits.slice(at, at + ASKED_AT_ONCE_MAX));
      near.push(...some.filter((standing) => usedShare(standing) >= NEAR_PART));
    }
    return near.toSorted((a, b) => usedShare(b) - usedShare(a)).slice(0, NEAR_MAX);
  } catch (error) {
    if (error instanceof TollbookError && error.type === 'unavailable') return null;
    throw error;
  }
}

export function usedShare({ counted, amount }: CounterStatus): number {
  return amount === 0 ? 1 : Number(counted) / amount;
}

async function countAlerts(
  { alerts }: Pick<Records, 'alerts'>,
  workspaceId: string,
  week: Period,
): Promise<ReadonlyMap<AlertType, number>> {
  const newest = await alerts.list(workspaceId, { limit: ALERTS_MAX, unreadOnly: false });
  const raised = newest.filter(({ createdAt }) => createdAt >= week.start && createdAt < week.end);
  const counts = ALERT_TYPES.map((type) => [type, raised.filter((alert) => alert.type === type).length] as const);
  return new Map(counts.filter(([, number]) => number > 0));
}
