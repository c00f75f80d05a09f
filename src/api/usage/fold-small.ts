import { addTotals, emptySum } from '../../storage/totals.ts';
import type { Sum } from '../../storage/totals.ts';
import type { SeriesRow } from '../../storage/store.ts';

const OTHER = '(other)';

/**
 * Keeps the `limit` dearest values of a series, and the rows without a value, and adds the others up as `(other)`.
 * Rows of several series keep the same values where `among` has the rows of all.
 */
export function foldSmall(rows: readonly SeriesRow[], limit: number, among = rows): SeriesRow[] {
  const kept = dearestValues(among, limit);
  const shown = rows.filter((row) => kept.has(row.value));
  const others = new Map<number, Sum>();
  for (const row of rows) {
    if (kept.has(row.value)) continue;
    const sum = others.get(row.bucket) ?? emptySum();
    addTotals(sum, row.totals);
    others.set(row.bucket, sum);
  }
  return [...shown, ...[...others].map(([bucket, totals]) => ({ bucket, value: OTHER, totals }))];
}

function dearestValues(rows: readonly SeriesRow[], limit: number): Set<string | null> {
  const costs = new Map<string, bigint>();
  for (const { value, totals } of rows)
    // What the roll-ups themselves could not keep apart is among the others already.
    if (value !== null && value !== OTHER) costs.set(value, (costs.get(value) ?? 0n) + totals.cost);
  const dearest = [...costs].toSorted(([, a], [, b]) => Number(b - a)).slice(0, limit);
  return new Set<string | null>([null, ...dearest.map(([value]) => value)]);
}
