import { callsText } from '../../../../src/domain/text/counts.ts';

export interface CostSum extends UnpricedSum {
  readonly cost: number;
  /** Dollars that uncertain calls may have cost in addition. */
  readonly uncertainUpTo?: number | undefined;
}

/** Returns the sum; null = every call in it has no price, so it is unknown and not 0. */
export function knownCost({ cost, unpricedCalls = 0, unpricedUsage = false }: CostSum): number | null {
  return cost === 0 && (unpricedCalls > 0 || unpricedUsage) ? null : cost;
}

/** Usage without a price, which a sum of costs leaves out. */
interface UnpricedSum {
  readonly unpricedCalls?: number | undefined;
  /** The sum also leaves out usage whose calls are not counted. */
  readonly unpricedUsage?: boolean | undefined;
}

/** Describes usage without a price: `3 calls without a price`; null = none. */
export function unpricedText({ unpricedCalls = 0, unpricedUsage = false }: UnpricedSum): string | null {
  if (unpricedCalls === 0) return unpricedUsage ? 'some usage without a price' : null;
  return `${callsText(unpricedCalls)}${unpricedUsage ? ' and other usage' : ''} without a price`;
}
