import {
  addTotals,
  emptySum,
  sumTotals,
  type UsageTotals,
  type MutableTotals,
} from '../../domain/usage/usage-totals.ts';
import type { EntrySource } from '../../domain/usage/call.ts';
import type { Period } from '../../domain/time/period.ts';
import type { UnproxiedSum, UnproxiedUsageStore } from '../../storage/unproxied-usage.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import { floor } from '../../storage/range-segments.ts';
import type { ReportContext } from './reported-usage.ts';
import { passesFilter, type PlanContext, sessionUsage } from './session-usage.ts';
import type { SeriesFilter, SeriesRow } from '../../storage/usage-queries.ts';
import type { SecondDimension, SeriesDimension } from '../../domain/usage/call.ts';
import type { SessionStore } from '../../storage/session-store.ts';

interface UnproxiedSeriesQuery {
  readonly sessions: Pick<SessionStore, 'sums'>;
  readonly plans: PlanContext;
  readonly context: ReportContext;
  readonly unproxiedUsage: Pick<UnproxiedUsageStore, 'dailySums'>;
  readonly workspaceId: string;
  readonly range: Period;
  readonly buckets: readonly number[];
  readonly by: SeriesDimension | null;
  readonly and?: SecondDimension | undefined;
  readonly filter: SeriesFilter;
}

interface ShownPart {
  readonly bucket: number;
  readonly totals: UsageTotals;
}

export interface UnproxiedSeries {
  readonly owed: readonly SeriesRow[];
  readonly covered: readonly ShownPart[];
  readonly reported: readonly ShownPart[];
}

/** Reads unproxied usage over time as rows of a series. It has no key, status or tag. */
export async function unproxiedSeries(asked: UnproxiedSeriesQuery): Promise<UnproxiedSeries> {
  const { unproxiedUsage, workspaceId, range } = asked;
  const days = await unproxiedUsage.dailySums(workspaceId, { start: floor(range.start, DAY_MS), end: range.end });
  const local = await sessionSeries(asked, days);
  return { ...local, owed: [...local.owed, ...reportedSeries(asked, days)] };
}

async function sessionSeries(asked: UnproxiedSeriesQuery, days: readonly UnproxiedSum[]): Promise<UnproxiedSeries> {
  const { sessions, plans, context, workspaceId, range, buckets, filter } = asked;
  const owed: SeriesRow[] = [];
  const shown = { covered: [] as ShownPart[], reported: [] as ShownPart[] };
  const none = (await sessions.sums(workspaceId, range)).length === 0;
  if (none) return { owed, ...shown };
  for (const [index, bucket] of buckets.entries()) {
    const part = { start: bucket, end: buckets[index + 1] ?? range.end };
    const usage = await sessionUsage(sessions, workspaceId, plans, part, context, days);
    for (const sum of usage.owed)
      if (passesFilter(sum, filter)) owed.push({ bucket, ...dimensionValues(sum, asked), totals: sum.totals });
    for (const why of ['covered', 'reported'] as const) {
      const passed = usage[why].filter((sum) => passesFilter(sum, filter));
      if (passed.length > 0) shown[why].push({ bucket, totals: sumTotals(passed) });
    }
  }
  return { owed, ...shown };
}

/** Returns usage in provider reports as rows. Each UTC day is in the bucket that contains its start. */
function reportedSeries(asked: UnproxiedSeriesQuery, days: readonly UnproxiedSum[]): SeriesRow[] {
  const { buckets, filter } = asked;
  const rows: SeriesRow[] = [];
  for (const { day, provider, model, totals } of days) {
    const rest = { source: 'provider_report', provider, model } as const;
    const bucket = buckets.findLast((start) => start <= day);
    if (bucket !== undefined && passesFilter(rest, filter))
      rows.push({ bucket, ...dimensionValues(rest, asked), totals });
  }
  return rows;
}

interface UnproxiedPart {
  readonly source: EntrySource;
  readonly provider: string;
  readonly model: string | null;
}

function dimensionValues(part: UnproxiedPart, { by, and }: UnproxiedSeriesQuery): Pick<SeriesRow, 'value' | 'and'> {
  return { value: dimensionValue(part, by), ...(and && { and: dimensionValue(part, and) }) };
}

function dimensionValue(sum: UnproxiedPart, by: SeriesDimension | null): string | null {
  return by === 'source' || by === 'provider' || by === 'model' ? sum[by] : null;
}

/** Merges proxied and unproxied rows: one for each bucket and value. */
export function withUnproxied(proxied: readonly SeriesRow[], owed: readonly SeriesRow[]): readonly SeriesRow[] {
  if (owed.length === 0) return proxied;
  const rows = new Map<string, SeriesRow & { readonly totals: MutableTotals }>();
  for (const { totals, ...place } of [...proxied, ...owed]) {
    const key = JSON.stringify([place.bucket, place.value, place.and]);
    const sum = rows.get(key) ?? { ...place, totals: emptySum() };
    rows.set(key, sum);
    addTotals(sum.totals, totals);
  }
  return [...rows.values()].toSorted((a, b) => a.bucket - b.bucket);
}
