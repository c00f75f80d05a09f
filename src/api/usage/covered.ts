import { usdFromNano } from '../../domain/money/money.ts';
import type { SessionTotals } from '../../storage/store.ts';
import type { CoveredUsage } from '../../contract/usage.ts';
import { unpricedFields } from './uncertainty.ts';

/** Usage that a plan covers, as reports show it beside what is owed. */
export function coveredUsage({ cost, calls, inputTokens, outputTokens, ...totals }: SessionTotals): CoveredUsage {
  return { cost: usdFromNano(cost), calls, inputTokens, outputTokens, ...unpricedFields(totals) };
}
