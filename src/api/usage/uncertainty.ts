import { usdFromNano } from '../../domain/money/money.ts';
import type { CoveredUsage } from '../../contract/usage.ts';
import type { UsageTotals } from '../../storage/usage-queries.ts';
import type { SessionTotals } from '../../storage/session-store.ts';

export interface UncertaintyFields {
  unpricedCalls?: number;
  unpricedUsage?: true;
  uncertainCalls?: number;
  /** US dollars. */
  uncertainUpTo?: number;
}

/** What has no price in a sum; fields that would be 0 are left out. */
export function unpricedFields({
  unpricedCalls,
  unpricedUses,
}: Pick<UsageTotals, 'unpricedCalls' | 'unpricedUses'>): Pick<UncertaintyFields, 'unpricedCalls' | 'unpricedUsage'> {
  return { ...(unpricedCalls > 0 && { unpricedCalls }), ...(unpricedUses > 0 && { unpricedUsage: true }) };
}

/** What a sum leaves open; fields that would be 0 are left out. */
export function uncertaintyFields(totals: UsageTotals): UncertaintyFields {
  return {
    ...unpricedFields(totals),
    ...(totals.uncertainCalls > 0 && { uncertainCalls: totals.uncertainCalls }),
    ...(totals.uncertainUpTo > 0n && { uncertainUpTo: usdFromNano(totals.uncertainUpTo) }),
  };
}

/** Usage that a plan covers, as reports show it beside what is owed. */
export function coveredUsage({ cost, calls, inputTokens, outputTokens, ...totals }: SessionTotals): CoveredUsage {
  return { cost: usdFromNano(cost), calls, inputTokens, outputTokens, ...unpricedFields(totals) };
}
