import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { amountOf } from '../chart/stack.ts';
import type { CostSum } from './known-cost.ts';

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
  readonly unpricedUse: boolean;
  /** Calls of which nobody knows what they cost: most of them broke off, whatever their status. */
  readonly uncertainCalls: number;
  /** Dollars beyond the cost. */
  readonly uncertainUpTo: number;
}

type Point = UsageSeries['points'][number];
type Doubt = 'unpricedCalls' | 'unpricedUse' | 'uncertainCalls' | 'uncertainUpTo';

export function breakdownRows({ points: all, compared }: UsageSeries): readonly BreakdownRow[] {
  const points = Map.groupBy(all, ({ value }) => value);
  const pointsBefore = Map.groupBy(compared?.points ?? [], ({ value }) => value);
  const total = sumOf(all, 'cost');
  const values = new Set([...points.keys(), ...pointsBefore.keys()]);
  return [...values].map((value) =>
    rowOf(value, points.get(value) ?? [], total, compared ? (pointsBefore.get(value) ?? []) : null),
  );
}

function rowOf(
  value: string | null,
  points: readonly Point[],
  total: number,
  before: readonly Point[] | null,
): BreakdownRow {
  const cost = sumOf(points, 'cost');
  return {
    value,
    cost,
    calls: sumOf(points, 'calls'),
    tokens: sumOf(points, 'tokens'),
    share: total === 0 ? 0 : cost / total,
    before: before && { cost: sumOf(before, 'cost'), ...doubtsOf(before) },
    failedCalls: points.reduce((sum, { failedCalls }) => sum + failedCalls, 0),
    ...doubtsOf(points),
  };
}

function doubtsOf(points: readonly Point[]): Pick<BreakdownRow, Doubt> {
  const sum = (doubt: Exclude<Doubt, 'unpricedUse'>): number =>
    points.reduce((all, point) => all + (point[doubt] ?? 0), 0);
  return {
    unpricedCalls: sum('unpricedCalls'),
    unpricedUse: points.some((point) => point.unpricedUse),
    uncertainCalls: sum('uncertainCalls'),
    uncertainUpTo: sum('uncertainUpTo'),
  };
}

function sumOf(points: readonly Point[], measure: 'cost' | 'calls' | 'tokens'): number {
  return points.reduce((sum, point) => sum + amountOf(point, measure), 0);
}
