import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { type CsvCell, csvLine } from '../../../../src/domain/text/csv.ts';
import { pointValue, readAmount } from '../../shared/chart/stack.ts';
import { breakdownRows, type BreakdownRow } from '../../shared/usage/breakdown-rows.ts';
import { knownCost } from '../../shared/usage/cost-sum.ts';
import { dimensionTitle, splitDimensions, valueNames } from '../../shared/usage/dimensions.ts';

type SeriesPoint = UsageSeries['points'][number];

interface SeenUsage {
  readonly series: UsageSeries;
  readonly dimension: string;
  readonly keyNames: ReadonlyMap<string, string>;
}

/** Writes the table of values as CSV. An unknown cost is empty. */
export function tableCsv(seen: SeenUsage): string {
  const { series, dimension } = seen;
  const compared = series.comparison !== undefined;
  const heads = [
    'Cost (USD)',
    ...(compared ? ['Previous period (USD)'] : []),
    'Calls',
    'Tokens',
    'Failed',
    'Uncertain',
  ];
  const rows = breakdownRows(series).toSorted((a, b) => b.cost - a.cost);
  return toCsv([
    [...columnNames(dimension), ...heads, 'Calls without a price'],
    ...rows.map((row) => tableCells(row, seen)),
  ]);
}

function tableCells(row: BreakdownRow, { series, dimension, keyNames }: SeenUsage): readonly CsvCell[] {
  const before = series.comparison ? [row.before && knownCost(row.before)] : [];
  const { calls, tokens, failedCalls, uncertainCalls, unpricedCalls } = row;
  const counts = [calls, tokens, failedCalls, uncertainCalls, unpricedCalls];
  return [...valueNames(dimension, row.value, keyNames), knownCost(row), ...before, ...counts];
}

/** Writes the bars of the chart as CSV: a row for each time and value. */
export function chartCsv(seen: SeenUsage): string {
  const { series, dimension } = seen;
  const points = series.points.toSorted((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : b.cost - a.cost));
  return toCsv([
    ['Start', ...columnNames(dimension), 'Cost (USD)', 'Calls', 'Tokens'],
    ...points.map((point) => pointCells(point, seen)),
  ]);
}

function pointCells(point: SeriesPoint, { dimension, keyNames }: SeenUsage): readonly CsvCell[] {
  const names = valueNames(dimension, pointValue(point), keyNames);
  return [point.start, ...names, knownCost(point), point.calls, readAmount(point, 'tokens')];
}

function columnNames(dimension: string): readonly string[] {
  return splitDimensions(dimension).flatMap((each) => (each === undefined ? [] : [dimensionTitle(each)]));
}

function toCsv(rows: readonly (readonly CsvCell[])[]): string {
  return rows.map(csvLine).join('');
}
