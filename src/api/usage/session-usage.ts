import type { EntrySource } from '../../domain/usage/call.ts';
import type { Period } from '../../domain/time/period.ts';
import { coveredTimes, covers, type PlanSubscription } from '../../domain/sessions/subscription.ts';
import type { Records } from '../../storage/records/records.ts';
import type { UnproxiedSum } from '../../storage/unproxied-usage.ts';
import { EMPTY_TOTALS, isEmptySum } from '../../domain/usage/usage-totals.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { listOpenDays, NO_REPORTS, ReportCover, type ReportContext } from './reported-usage.ts';
import type { SeriesFilter, ValueMatch } from '../../storage/usage-queries.ts';
import type { SessionStore, SessionSum } from '../../storage/session-store.ts';

/** Subscriptions of a workspace, and its time zone. */
export interface PlanContext {
  readonly subscriptions: readonly PlanSubscription[];
  readonly timeZone: string;
}

export async function readPlanContext(
  { workspaces, subscriptions }: Pick<Records, 'workspaces' | 'subscriptions'>,
  workspaceId: string,
): Promise<PlanContext> {
  const { timeZone } = await workspaces.get(workspaceId);
  return { subscriptions: await subscriptions.list(workspaceId), timeZone };
}

/**
 * Usage of local sessions in a period, without calls through the gateway. Usage that a plan or a provider report covers
 * is shown, but not owed.
 */
export interface SessionUsage {
  readonly owed: readonly SessionSum[];
  readonly covered: readonly SessionSum[];
  readonly reported: readonly SessionSum[];
}

/**
 * Sums local sessions. The start of an hour decides whether a plan or a report covers it.
 * @param open usage in reports of the open days that the period touches
 */
export async function sessionUsage(
  sessions: Pick<SessionStore, 'sums'>,
  workspaceId: string,
  { subscriptions, timeZone }: PlanContext,
  period: Period,
  reports: ReportContext = NO_REPORTS,
  open: readonly UnproxiedSum[] = [],
): Promise<SessionUsage> {
  const usage = { owed: [] as SessionSum[], covered: [] as SessionSum[], reported: [] as SessionSum[] };
  const openDays = listOpenDays(reports.times, period);
  const cover = new ReportCover(
    reports,
    open.filter(({ day }) => openDays.includes(day)),
  );
  // A report covers the earlier usage of an open day first.
  const whole = { start: Math.min(period.start, ...openDays), end: period.end };
  const edges = [period.start, ...reports.times.flatMap(({ start, end }) => [start, end]), ...dayEdges(openDays)];
  for (const { subscriptions: plans, ...time } of coveredTimes(subscriptions, whole, timeZone))
    for (const part of splitPeriod(time, edges))
      for (const sum of await sessions.sums(workspaceId, part)) {
        const isCovered = plans.some((plan) => covers(plan, sum));
        const { reported, owed } = isCovered ? NOT_OWED : cover.split(part, sum);
        if (part.start < period.start) continue;
        if (isCovered) usage.covered.push(sum);
        if (!isEmptySum(reported)) usage.reported.push({ ...sum, totals: reported });
        if (!isEmptySum(owed)) usage.owed.push({ ...sum, totals: owed });
      }
  return usage;
}

const NOT_OWED = { reported: EMPTY_TOTALS, owed: EMPTY_TOTALS };

function dayEdges(days: readonly number[]): number[] {
  return days.flatMap((day) => [day, day + DAY_MS]);
}

/** Splits a period at edges, so that each part is covered by the same reports. */
function splitPeriod({ start, end }: Period, edges: readonly number[]): Period[] {
  const within = edges.filter((edge) => edge > start && edge < end);
  const starts = [start, ...new Set(within.toSorted((a, b) => a - b))];
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }));
}

interface UnproxiedPart {
  readonly source: EntrySource;
  readonly provider: string;
  readonly model: string | null;
}

function passesMatch(usage: UnproxiedPart, { of, values, isNot }: ValueMatch): boolean {
  const value = of === 'source' || of === 'provider' || of === 'model' ? usage[of] : null;
  return (value !== null && values.includes(value)) !== isNot;
}

/** Returns true if unproxied usage matches the filter; it has no key, status or tag. */
export function passesFilter(usage: UnproxiedPart, filter: SeriesFilter): boolean {
  const { source, provider, model } = usage;
  return (
    (filter.matches ?? []).every((match) => passesMatch(usage, match)) &&
    (filter.source === undefined || filter.source === source) &&
    (filter.provider === undefined || filter.provider === provider) &&
    (filter.model === undefined || filter.model === model) &&
    filter.keyId === undefined &&
    filter.status === undefined &&
    filter.tag === undefined &&
    filter.session === undefined &&
    filter.agent === undefined &&
    filter.run === undefined &&
    filter.requestClass === undefined
  );
}
