import { formatCount } from '../format/number.ts';

export interface CostSum extends UnpricedSum {
  readonly cost: number;
  /** Dollars that calls in doubt may have cost beyond the cost. */
  readonly uncertainUpTo?: number | undefined;
}

/** A sum that holds nothing but leaves something out is not known, and not 0. */
export function knownCost({ cost, unpricedCalls = 0, unpricedUsage = false }: CostSum): number | null {
  return cost === 0 && (unpricedCalls > 0 || unpricedUsage) ? null : cost;
}

/** What is not in a sum of costs, since it has no price. */
interface UnpricedSum {
  readonly unpricedCalls?: number | undefined;
  /** Usage whose calls nobody counted is left out too. */
  readonly unpricedUsage?: boolean | undefined;
}

/** `3 without a price`; null = nothing is left out. */
export function unpricedText({ unpricedCalls = 0, unpricedUsage = false }: UnpricedSum): string | null {
  if (unpricedCalls === 0) return unpricedUsage ? 'some use without a price' : null;
  return `${formatCount(unpricedCalls)}${unpricedUsage ? ' and other use' : ''} without a price`;
}
