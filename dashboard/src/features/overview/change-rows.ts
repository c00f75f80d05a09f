import type { UsageChanges } from '../../../../src/api/contract-overview.ts';
import { knownCost } from '../../shared/usage/known-cost.ts';

type Dimension = UsageChanges['dimensions'][number];

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
}

/** As it stands in an address: `model`, `tag:team`. */
export function dimensionOf({ by, tagKey }: Pick<Dimension, 'by' | 'tagKey'>): string {
  return by === 'tag' ? `tag:${tagKey ?? ''}` : by;
}

/** The parts that moved most, and all others in one row, if there are any. */
export function changeRows({ parts, rest }: Dimension): readonly ChangeRow[] {
  const rows = parts.map((part) => ({ ...part, id: `value ${part.value ?? ''}` }));
  if (rest.values === 0) return rows;
  return [...rows, { ...rest, id: 'rest', value: null, name: `${rest.values} others` }];
}

/** null where one side holds nothing but calls without a price. */
export function knownChange({ before, after, difference, unpricedBefore, unpricedAfter }: ChangeRow): number | null {
  const isUnknown =
    knownCost({ cost: before, unpricedCalls: unpricedBefore }) === null ||
    knownCost({ cost: after, unpricedCalls: unpricedAfter }) === null;
  return isUnknown ? null : difference;
}
