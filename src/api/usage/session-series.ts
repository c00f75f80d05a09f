import type { Period } from '../../core/period.ts';
import type {
  Dimension,
  SeriesFilter,
  SeriesRow,
  SessionStore,
  SessionSum,
  SessionTotals,
} from '../../storage/store.ts';
import { addUnder } from '../../storage/totals.ts';
import type { Sum } from '../../storage/totals.ts';
import { asTotals, passesFilter, type Plans, sessionUsage, sumSessions } from './session-usage.ts';

interface Asked {
  readonly sessions: Pick<SessionStore, 'sums'>;
  readonly plans: Plans;
  readonly workspaceId: string;
  readonly range: Period;
  readonly buckets: readonly number[];
  readonly by: Dimension | null;
  readonly filter: SeriesFilter;
}

export interface SessionSeries {
  readonly owed: readonly SeriesRow[];
  readonly covered: readonly { readonly bucket: number; readonly totals: SessionTotals }[];
}

/** Local sessions over time, in the rows of a series; keys, statuses and tags have none of them. */
export async function sessionSeries(asked: Asked): Promise<SessionSeries> {
  const { sessions, plans, workspaceId, range, buckets, by, filter } = asked;
  const none = (await sessions.sums(workspaceId, range)).length === 0;
  if (none) return { owed: [], covered: [] };
  const owed: SeriesRow[] = [];
  const covered: { bucket: number; totals: SessionTotals }[] = [];
  for (const [index, bucket] of buckets.entries()) {
    const part = { start: bucket, end: buckets[index + 1] ?? range.end };
    const usage = await sessionUsage(sessions, workspaceId, plans, part);
    for (const sum of usage.owed)
      if (passesFilter(sum, filter)) owed.push({ bucket, value: valueOf(sum, by), totals: asTotals(sum.totals) });
    const shown = usage.covered.filter((sum) => passesFilter(sum, filter));
    if (shown.length > 0) covered.push({ bucket, totals: sumSessions(shown) });
  }
  return { owed, covered };
}

function valueOf(sum: SessionSum, by: Dimension | null): string | null {
  return by === 'source' || by === 'provider' || by === 'model' ? sum[by] : null;
}

/** One row for each bucket and value. */
export function withSessions(proxied: readonly SeriesRow[], owed: readonly SeriesRow[]): readonly SeriesRow[] {
  if (owed.length === 0) return proxied;
  const rows = new Map<number, Map<string | null, Sum>>();
  for (const { bucket, value, totals } of [...proxied, ...owed]) {
    const values = rows.get(bucket) ?? new Map<string | null, Sum>();
    addUnder(values, value, totals);
    rows.set(bucket, values);
  }
  return [...rows]
    .toSorted(([a], [b]) => a - b)
    .flatMap(([bucket, values]) => [...values].map(([value, totals]) => ({ bucket, value, totals })));
}
