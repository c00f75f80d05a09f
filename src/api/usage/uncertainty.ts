import type { UsageTotals } from '../../domain/usage/usage-totals.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import type { CoveredUsage } from '../../contract/usage.ts';

export interface UncertaintyFields {
  unpricedCalls?: number;
  unpricedUsage?: true;
  uncertainCalls?: number;
  /** US dollars. */
  uncertainUpTo?: number;
}

/** Returns the counts of unpriced usage in a sum, without fields that are 0. */
export function unpricedFields({
  unpricedCalls,
  unpricedUses,
}: Pick<UsageTotals, 'unpricedCalls' | 'unpricedUses'>): Pick<UncertaintyFields, 'unpricedCalls' | 'unpricedUsage'> {
  return { ...(unpricedCalls > 0 && { unpricedCalls }), ...(unpricedUses > 0 && { unpricedUsage: true }) };
}

/** Returns the uncertainty of a sum, without fields that are 0. */
export function uncertaintyFields(totals: UsageTotals): UncertaintyFields {
  return {
    ...unpricedFields(totals),
    ...(totals.uncertainCalls > 0 && { uncertainCalls: totals.uncertainCalls }),
    ...(totals.uncertainUpTo > 0n && { uncertainUpTo: usdFromNano(totals.uncertainUpTo) }),
  };
}

/** Returns usage that a plan covers, which summaries show apart from the cost owed. */
export function coveredUsage({ cost, calls, inputTokens, outputTokens, ...totals }: UsageTotals): CoveredUsage {
  return { cost: usdFromNano(cost), calls, inputTokens, outputTokens, ...unpricedFields(totals) };
}
