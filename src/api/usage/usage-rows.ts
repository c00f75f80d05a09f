import type { PartSum } from '../../domain/usage/changes.ts';
import type { Period } from '../../domain/time/period.ts';
import type { UnproxiedUsageStore } from '../../storage/unproxied-usage.ts';
import { type UnproxiedSeries, unproxiedSeries, withUnproxied } from './unproxied-series.ts';
import { NO_REPORTS, readReportContext, type ReportContext } from './reported-usage.ts';
import { type PlanContext, readPlanContext } from './session-usage.ts';
import type { SeriesFilter, SeriesRow, UsageQueries } from '../../storage/usage-queries.ts';
import type { SecondDimension, SeriesDimension } from '../../domain/usage/call.ts';
import type { PricingOf, SessionStore } from '../../storage/session-store.ts';
import type { Records } from '../../storage/records/records.ts';
import type { ProviderReportService } from '../provider-reports.ts';
import type { Clock } from '../../lib/clock.ts';

/** Services of all usage queries. */
export interface UsageServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly reports: UsageQueries;
  readonly sessions: SessionStore;
  /** Usage in provider reports that did not go through the gateway. */
  readonly unproxiedUsage: UnproxiedUsageStore;
  readonly providerReports: ProviderReportService;
  readonly pricingOf: PricingOf;
}

/** Stores and settings from which the usage of one workspace is read. */
export interface UsageParts {
  readonly workspaceId: string;
  readonly reports: Pick<UsageQueries, 'series' | 'models' | 'byTag' | 'tagKeys'>;
  readonly sessions: Pick<SessionStore, 'sums'>;
  /** Usage in provider reports that did not go through the gateway. */
  readonly unproxiedUsage: Pick<UnproxiedUsageStore, 'dailySums'>;
  readonly plans: PlanContext;
  readonly context: ReportContext;
}

export interface UsageQuestion {
  readonly by: SeriesDimension | null;
  /** Key of the tag when `by` is `tag`, otherwise null. */
  readonly tagKey: string | null;
  /** A second dimension. Absent = none. */
  readonly and?: SecondDimension | undefined;
  readonly filter?: SeriesFilter;
  readonly entriesMax?: number;
  readonly valuesMax?: number;
}

export interface UsageRows extends Pick<UnproxiedSeries, 'covered' | 'reported'> {
  readonly rows: readonly SeriesRow[];
}

export async function usageParts(services: UsageServices, workspaceId: string): Promise<UsageParts> {
  const { records, reports, sessions, unproxiedUsage } = services;
  const plans = await readPlanContext(records, workspaceId);
  const context = await readReportContext(services, workspaceId);
  return { workspaceId, reports, sessions, unproxiedUsage, plans, context };
}

/** Leaves out provider reports: they cover whole past days and say nothing about part of a day. */
export function withoutReports(parts: UsageParts): UsageParts {
  return { ...parts, context: NO_REPORTS, unproxiedUsage: { dailySums: () => Promise.resolve([]) } };
}

/** Reads calls and owed unproxied usage by bucket and value, and covered usage separately. */
export async function readUsageRows(
  { reports, ...parts }: UsageParts,
  { by, tagKey, and, filter = {}, entriesMax, valuesMax }: UsageQuestion,
  range: Period,
  buckets: readonly number[],
): Promise<UsageRows> {
  const proxied = await reports.series(parts.workspaceId, {
    range,
    buckets,
    by,
    ...(tagKey !== null && { tagKey }),
    ...(and && { and }),
    filter,
    ...(entriesMax !== undefined && { entriesMax }),
    ...(valuesMax !== undefined && { valuesMax }),
  });
  const { owed, covered, reported } = await unproxiedSeries({ ...parts, range, buckets, by, and, filter });
  return { rows: withUnproxied(proxied, owed), covered, reported };
}

/** Sums each value over a whole range. */
export async function sumsBy(parts: UsageParts, question: UsageQuestion, range: Period): Promise<PartSum[]> {
  if (range.start >= range.end) return [];
  const { rows } = await readUsageRows(parts, question, range, [range.start]);
  return rows.map(({ value, totals }) => {
    const { cost, calls, unpricedCalls, unpricedUses } = totals;
    return { value, cost, calls, unpricedCalls, unpricedUses };
  });
}
