import { emptySum, addTotals, sumTotals, type MutableTotals, withCostBasis } from '../../domain/usage/usage-totals.ts';
import { LIMITS } from '../../config.ts';
import { TollbookError } from '../../domain/errors.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import { bucketStarts, toIso, type Period, readPeriod } from '../../domain/time/period.ts';
import type { UsageSeries } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { coveredUsage, uncertaintyFields } from './uncertainty.ts';
import type { RouteQuery } from '../../contract/routes.ts';
import { foldTagKey } from '../../domain/usage/tags.ts';
import { readFilter } from './filter.ts';
import { percentage } from './by-tag.ts';
import type { UnproxiedSeries } from './unproxied-series.ts';
import { readComparison } from './changes.ts';
import { readUsageRows, type UsageParts, usageParts, type UsageRows, type UsageServices } from './usage-rows.ts';
import { type SeriesRow } from '../../storage/usage-queries.ts';

/** Value of the sum of all small values. */
export const OTHER = '(other)';

/**
 * Keeps the most expensive values and the rows without a value, and sums the other rows as `(other)`.
 * @param limit how many values to keep
 * @param among rows that decide which values are the most expensive; two series with the same `among` keep the same values
 */
export function foldSmall(rows: readonly SeriesRow[], limit: number, among = rows): SeriesRow[] {
  const kept = costliestValues(among, limit);
  const shown = rows.filter((row) => kept.has(valueKey(row)));
  const others = new Map<number, MutableTotals>();
  for (const row of rows) {
    if (kept.has(valueKey(row))) continue;
    const sum = others.get(row.bucket) ?? emptySum();
    addTotals(sum, row.totals);
    others.set(row.bucket, sum);
  }
  const isPair = rows.some(({ and }) => and !== undefined);
  const folded = [...others].map(([bucket, totals]) =>
    isPair ? { bucket, value: OTHER, and: OTHER, totals } : { bucket, value: OTHER, totals },
  );
  return [...shown, ...folded];
}

/** Rows of one value, or of one pair of values, have equal keys. */
function valueKey({ value, and }: SeriesRow): string {
  return JSON.stringify([value, and ?? null]);
}

function costliestValues(rows: readonly SeriesRow[], limit: number): Set<string> {
  const costs = new Map<string, bigint>();
  for (const row of rows) {
    const { value, and, totals } = row;
    // A roll-up with too many values already has a sum of the others.
    if (value === OTHER || and === OTHER || (value === null && !and)) continue;
    costs.set(valueKey(row), (costs.get(valueKey(row)) ?? 0n) + totals.cost);
  }
  const costliest = [...costs].toSorted(([, a], [, b]) => Number(b - a)).slice(0, limit);
  return new Set([JSON.stringify([null, null]), ...costliest.map(([key]) => key)]);
}

export const series = endpoint('GET /api/mcp/usage/series', async ({ caller, query }, services: UsageServices) => {
  if ((query.by === 'tag') !== (query.tagKey !== undefined))
    throw new TollbookError('invalid', 'Only one of by=tag and tagKey is given. Give both or neither.', 'tagKey');
  if (query.and !== undefined && (query.by === undefined || query.by === query.and))
    throw new TollbookError('invalid', 'and needs another dimension in by.', 'and');
  const parts = await usageParts(services, caller.workspaceId);
  const found = await buildSeries(readPeriod(query.startDate, query.endDate, services.clock()), query, parts);
  const comparisonPeriod = readComparison(query);
  const compared = comparisonPeriod && (await buildSeries(comparisonPeriod, query, parts));
  const among = [...found.rows, ...(compared?.rows ?? [])];
  const toPoints = ({ rows }: SeriesParts) => foldSmall(rows, query.limit, among).map(seriesPoint);
  return {
    ...shownPeriod(found),
    step: query.step,
    timeZone: parts.plans.timeZone,
    by: query.tagKey ?? query.by ?? null,
    points: toPoints(found),
    ...(query.by === 'tag' && { untagged: untaggedShare(found.rows) }),
    ...(found.covered.length > 0 && { covered: found.covered.map(coveredPoint) }),
    ...(found.reported.length > 0 && { coveredByReports: found.reported.map(coveredPoint) }),
    ...(compared && { comparison: { ...shownPeriod(compared), points: toPoints(compared) } }),
  };
});

type SeriesQuery = RouteQuery<'GET /api/mcp/usage/series'>;

interface SeriesParts extends UsageRows {
  readonly range: Period;
  readonly buckets: readonly number[];
}

async function buildSeries(range: Period, asked: SeriesQuery, parts: UsageParts): Promise<SeriesParts> {
  const buckets = bucketStarts(range, asked.step, parts.plans.timeZone);
  const question = {
    by: asked.by ?? null,
    tagKey: asked.tagKey === undefined ? null : foldTagKey(asked.tagKey),
    and: asked.and,
    filter: readFilter(asked),
    entriesMax: LIMITS.reportEntriesMax,
    valuesMax: LIMITS.reportValuesMax,
  };
  const read = await readUsageRows(parts, question, range, buckets);
  const rows = read.rows.map((row) => ({ ...row, totals: withCostBasis(row.totals, asked.cost) }));
  return { range, buckets, ...read, rows };
}

function shownPeriod({ range, buckets }: SeriesParts) {
  return { period: { start: toIso(range.start), end: toIso(range.end) }, starts: buckets.map(toIso) };
}

export function seriesPoint({ bucket, value, and, totals }: SeriesRow): UsageSeries['points'][number] {
  return {
    start: toIso(bucket),
    value,
    ...(and !== undefined && { and }),
    calls: totals.calls,
    failedCalls: totals.failedCalls,
    cost: usdFromNano(totals.cost),
    inputTokens: totals.inputTokens,
    cacheReadTokens: totals.cacheReadTokens,
    cacheWriteTokens: totals.cacheWriteTokens,
    outputTokens: totals.outputTokens,
    ...uncertaintyFields(totals),
  };
}

function coveredPoint({ bucket, totals }: UnproxiedSeries['covered'][number]) {
  return { start: toIso(bucket), ...coveredUsage(totals) };
}

function untaggedShare(rows: readonly SeriesRow[]): NonNullable<UsageSeries['untagged']> {
  const untagged = rows.filter((row) => row.value === null);
  const totals = sumTotals(untagged);
  return {
    cost: usdFromNano(totals.cost),
    calls: totals.calls,
    percentage: percentage(totals.cost, sumCost(rows)),
    ...uncertaintyFields(totals),
  };
}

function sumCost(rows: readonly SeriesRow[]): bigint {
  return rows.reduce((sum, row) => sum + row.totals.cost, 0n);
}
