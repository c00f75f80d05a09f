import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { readAmount } from '../chart/stack.ts';
import type { CostSum } from './cost-sum.ts';

/** What one value of a dimension comes to, and came to in the period before. */
export interface BreakdownRow {
  readonly value: string | null;
  readonly cost: number;
  readonly calls: number;
  readonly tokens: number;
  /** Of the cost of all, 0 to 1. */
  readonly share: number;
  /** null = nothing is compared. */
  readonly before: CostSum | null;
  readonly failedCalls: number;
  readonly unpricedCalls: number;
  /** Use whose calls nobody counted has no price. */
  readonly unpricedUsage: boolean;
  /** Calls of which nobody knows what they cost: most of them broke off, whatever their status. */
  readonly uncertainCalls: number;
  /** Dollars beyond the cost. */
  readonly uncertainUpTo: number;
}

type BreakdownPoint = UsageSeries['points'][number];
type UncertaintyField = 'unpricedCalls' | 'unpricedUsage' | 'uncertainCalls' | 'uncertainUpTo';

export function breakdownRows({ points: all, compared }: UsageSeries): readonly BreakdownRow[] {
  const points = Map.groupBy(all, ({ value }) => value);
  const pointsBefore = Map.groupBy(compared?.points ?? [], ({ value }) => value);
  const total = sumMeasure(all, 'cost');
  const values = new Set([...points.keys(), ...pointsBefore.keys()]);
  return [...values].map((value) =>
    toBreakdownRow(value, points.get(value) ?? [], total, compared ? (pointsBefore.get(value) ?? []) : null),
  );
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
  const sum = (doubt: Exclude<UncertaintyField, 'unpricedUsage'>): number =>
    points.reduce((all, point) => all + (point[doubt] ?? 0), 0);
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
