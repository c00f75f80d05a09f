import { usdFromNano } from '../../core/money.ts';
import type { SessionTotals } from '../../storage/store.ts';
import type { CoveredUsage } from '../contract.ts';

/** Usage that a plan covers, as reports show it beside what is owed. */
export function coveredUsage({ cost, calls, inputTokens, outputTokens, unpricedCalls }: SessionTotals): CoveredUsage {
  const used = { cost: usdFromNano(cost), calls, inputTokens, outputTokens };
  return unpricedCalls > 0 ? { ...used, unpricedCalls } : used;
}
