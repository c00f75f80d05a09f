import type { UsageChanges } from '../../../../src/contract/overview.ts';
import { type CostSum, knownCost } from '../../shared/usage/cost-sum.ts';

type ChangeDimension = UsageChanges['dimensions'][number];

export interface ChangeRow {
  readonly id: string;
  /** null = it has no address of its own: without a value, or all others together. */
  readonly value: string | null;
  readonly name: string;
  readonly before: number;
  readonly after: number;
  readonly difference: number;
  /** Calls that are not in the figures, for their model has no price. */
  readonly unpricedBefore?: number | undefined;
  readonly unpricedAfter?: number | undefined;
  /** Neither is usage whose calls nobody counted. */
  readonly unpricedUsageBefore?: boolean | undefined;
  readonly unpricedUsageAfter?: boolean | undefined;
}

/** As it stands in an address: `model`, `tag:team`. */
export function dimensionKey({ by, tagKey }: Pick<ChangeDimension, 'by' | 'tagKey'>): string {
  return by === 'tag' ? `tag:${tagKey ?? ''}` : by;
}

/** The parts that moved most, and all others in one row, if there are any. */
export function changeRows({ parts, rest }: ChangeDimension): readonly ChangeRow[] {
  const rows = parts.map((part) => ({ ...part, id: `value ${part.value ?? ''}` }));
  if (rest.values === 0) return rows;
  return [...rows, { ...rest, id: 'rest', value: null, name: `${rest.values} others` }];
}

export function costBefore({ before, unpricedBefore, unpricedUsageBefore }: ChangeRow): CostSum {
  return { cost: before, unpricedCalls: unpricedBefore, unpricedUsage: unpricedUsageBefore };
}

export function costAfter({ after, unpricedAfter, unpricedUsageAfter }: ChangeRow): CostSum {
  return { cost: after, unpricedCalls: unpricedAfter, unpricedUsage: unpricedUsageAfter };
}

/** null where one side holds nothing but what has no price. */
export function knownChange(row: ChangeRow): number | null {
  const isKnown = knownCost(costBefore(row)) !== null && knownCost(costAfter(row)) !== null;
  return isKnown ? row.difference : null;
}
