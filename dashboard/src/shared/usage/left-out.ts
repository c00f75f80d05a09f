import { formatCount } from '../format/number.ts';

/** What is not in a sum of costs, since it has no price. */
export interface UnpricedSum {
  readonly unpricedCalls?: number | undefined;
  /** Usage whose calls nobody counted is left out too. */
  readonly unpricedUse?: boolean | undefined;
}

/** `3 without a price`; null = nothing is left out. */
export function unpricedText({ unpricedCalls = 0, unpricedUse = false }: UnpricedSum): string | null {
  if (unpricedCalls === 0) return unpricedUse ? 'some use without a price' : null;
  return `${formatCount(unpricedCalls)}${unpricedUse ? ' and other use' : ''} without a price`;
}
