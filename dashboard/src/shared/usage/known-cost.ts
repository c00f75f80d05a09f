import type { UnpricedSum } from './left-out.ts';

export interface CostSum extends UnpricedSum {
  readonly cost: number;
  /** Dollars that calls in doubt may have cost beyond the cost. */
  readonly uncertainUpTo?: number | undefined;
}

/** A sum that holds nothing but leaves something out is not known, and not 0. */
export function knownCost({ cost, unpricedCalls = 0, unpricedUse = false }: CostSum): number | null {
  return cost === 0 && (unpricedCalls > 0 || unpricedUse) ? null : cost;
}
