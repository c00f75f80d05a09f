import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { pointValue, readAmount } from '../chart/stack.ts';
import type { CostSum } from './cost-sum.ts';

/** Usage of one value of a dimension, now and in the previous period. */
export interface BreakdownRow {
  readonly value: string | null;
  /** Sum of all rows. */
  readonly isTotal: boolean;
  readonly cost: number;
  readonly calls: number;
  readonly tokens: number;
  /** Share of the total cost, 0 to 1. */
  readonly share: number;
  /** null = no comparison. */
  readonly before: CostSum | null;
  readonly failedCalls: number;
  readonly unpricedCalls: number;
  /** Usage whose calls are not counted has no price. */
  readonly unpricedUsage: boolean;
  /** Calls with uncertain cost: most were interrupted, with any status. */
  readonly uncertainCalls: number;
  /** Dollars in addition to the cost. */
  readonly uncertainUpTo: number;
}

type BreakdownPoint = UsageSeries['points'][number];
type UncertaintyField = 'unpricedCalls' | 'unpricedUsage' | 'uncertainCalls' | 'uncertainUpTo';

export function breakdownRows({ points: all, comparison }: UsageSeries): readonly BreakdownRow[] {
  const points = Map.groupBy(all, pointValue);
  const pointsBefore = Map.groupBy(comparison?.points ?? [], pointValue);
  const total = sumMeasure(all, 'cost');
  const values = new Set([...points.keys(), ...pointsBefore.keys()]);
  return [...values].map((value) =>
    toBreakdownRow(value, points.get(value) ?? [], total, comparison ? (pointsBefore.get(value) ?? []) : null),
  );
}

/** Sums all values, also those without a row of their own. */
export function totalRow({ points, comparison }: UsageSeries): BreakdownRow {
  const total = sumMeasure(points, 'cost');
  return { ...toBreakdownRow(null, points, total, comparison ? comparison.points : null), isTotal: true };
}

function toBreakdownRow(
  value: string | null,
  points: readonly BreakdownPoint[],
  total: number,
  before: readonly BreakdownPoint[] | null,
): BreakdownRow {
  const cost = sumMeasure(points, 'cost');
  return {
    value,
    isTotal: false,
    cost,
    calls: sumMeasure(points, 'calls'),
    tokens: sumMeasure(points, 'tokens'),
    share: total === 0 ? 0 : cost / total,
    before: before && { cost: sumMeasure(before, 'cost'), ...sumUncertainty(before) },
    failedCalls: points.reduce((sum, { failedCalls }) => sum + failedCalls, 0),
    ...sumUncertainty(points),
  };
}

function sumUncertainty(points: readonly BreakdownPoint[]): Pick<BreakdownRow, UncertaintyField> {
  const sum = (field: Exclude<UncertaintyField, 'unpricedUsage'>): number =>
    points.reduce((all, point) => all + (point[field] ?? 0), 0);
  return {
    unpricedCalls: sum('unpricedCalls'),
    unpricedUsage: points.some((point) => point.unpricedUsage),
    uncertainCalls: sum('uncertainCalls'),
    uncertainUpTo: sum('uncertainUpTo'),
  };
}

function sumMeasure(points: readonly BreakdownPoint[], measure: 'cost' | 'calls' | 'tokens'): number {
  return points.reduce((sum, point) => sum + readAmount(point, measure), 0);
}
