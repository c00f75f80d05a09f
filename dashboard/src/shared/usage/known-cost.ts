export interface CostSum {
  readonly cost: number;
  /** Calls that are not in the cost, for their model has no price. */
  readonly unpricedCalls?: number | undefined;
  /** Dollars that calls in doubt may have cost beyond the cost. */
  readonly uncertainUpTo?: number | undefined;
}

/** A sum that holds nothing but leaves calls out is not known, and not 0. */
export function knownCost({ cost, unpricedCalls = 0 }: CostSum): number | null {
  return cost === 0 && unpricedCalls > 0 ? null : cost;
}
