import type { UsageChanges } from '../../../../src/contract/overview.ts';
import { type CostSum, knownCost } from '../../shared/usage/cost-sum.ts';

type ChangeDimension = UsageChanges['dimensions'][number];

export interface ChangeRow {
  readonly id: string;
  /** null = no single value: missing values, or all others together. */
  readonly value: string | null;
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** Calls without a price, which the figures leave out. */
  readonly unpricedBefore?: number | undefined;
  readonly unpricedAfter?: number | undefined;
  /** The figures also leave out usage whose calls are not counted. */
  readonly unpricedUsageBefore?: boolean | undefined;
  readonly unpricedUsageAfter?: boolean | undefined;
}

/** Returns the dimension as in search parameters: `model`, `tag:team`. */
export function dimensionKey({ by, tagKey }: Pick<ChangeDimension, 'by' | 'tagKey'>): string {
  return by === 'tag' ? `tag:${tagKey ?? ''}` : by;
}

/** Returns the parts with the largest change, and one row for all others. */
export function changeRows({ parts, other }: ChangeDimension): readonly ChangeRow[] {
  const rows = parts.map((part) => ({ ...part, id: `value ${part.value ?? ''}` }));
  if (other.values === 0) return rows;
  return [
    ...rows,
    { ...other, id: 'rest', value: null, name: other.values === 1 ? '1 other' : `${other.values} others` },
  ];
}

export function costBefore({ before, unpricedBefore, unpricedUsageBefore }: ChangeRow): CostSum {
  return { cost: before, unpricedCalls: unpricedBefore, unpricedUsage: unpricedUsageBefore };
}

export function costAfter({ after, unpricedAfter, unpricedUsageAfter }: ChangeRow): CostSum {
  return { cost: after, unpricedCalls: unpricedAfter, unpricedUsage: unpricedUsageAfter };
}

/** Returns the change; null = one side has only usage without a price. */
export function knownChange(row: ChangeRow): number | null {
  const isKnown = knownCost(costBefore(row)) !== null && knownCost(costAfter(row)) !== null;
  return isKnown ? row.difference : null;
}
