import type { EntrySource } from '../../domain/usage/call.ts';
import type { Period } from '../../domain/time/period.ts';
import { coveredTimes, covers, type PlanSubscription } from '../../domain/sessions/subscription.ts';
import type { Records } from '../../storage/records/records.ts';
import type { ProviderReportService } from '../provider-reports.ts';
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

/** A period that provider reports of an organization cover. */
export interface ReportedTime extends Period {
  readonly provider: string;
}

/** Returns the periods that a workspace's provider reports cover, including paused admin keys. */
export async function reportedTimes(
  { adminKeys }: Pick<Records, 'adminKeys'>,
  organizations: Pick<ProviderReportService, 'readTime'>,
  workspaceId: string,
): Promise<ReportedTime[]> {
  const times: ReportedTime[] = [];
  for (const key of await adminKeys.list(workspaceId)) {
    const time = await organizations.readTime(key);
    if (time) times.push({ provider: key.provider, ...time });
  }
  return times;
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

/** Sums local sessions. The start of an hour decides whether a plan or a report covers it. */
export async function sessionUsage(
  sessions: Pick<SessionStore, 'sums'>,
  workspaceId: string,
  { subscriptions, timeZone }: PlanContext,
  period: Period,
  times: readonly ReportedTime[],
): Promise<SessionUsage> {
  const usage = { owed: [] as SessionSum[], covered: [] as SessionSum[], reported: [] as SessionSum[] };
  for (const { subscriptions: plans, ...whole } of coveredTimes(subscriptions, period, timeZone))
    for (const part of sessionParts(whole, times))
      for (const sum of await sessions.sums(workspaceId, part)) {
        const isCovered = plans.some((plan) => covers(plan, sum));
        const isReported = times.some((time) => time.provider === sum.provider && isWithin(part, time));
        usage[isCovered ? 'covered' : isReported ? 'reported' : 'owed'].push(sum);
      }
  return usage;
}

/** Splits a period at the bounds of the covered times, so that each part is covered fully or not at all. */
function sessionParts({ start, end }: Period, times: readonly ReportedTime[]): Period[] {
  const edges = times.flatMap((time) => [time.start, time.end]).filter((edge) => edge > start && edge < end);
  const starts = [start, ...new Set(edges.toSorted((a, b) => a - b))];
  return starts.map((from, index) => ({ start: from, end: starts[index + 1] ?? end }));
}

function isWithin(part: Period, time: Period): boolean {
  return time.start <= part.start && part.end <= time.end;
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
