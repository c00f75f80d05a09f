import { usdFromNano } from '../../domain/money/money.ts';
import { addSessionTotals } from '../../storage/session-totals.ts';
import type { SessionSum, SessionTotals } from '../../storage/store.ts';
import { type SavingsBreakdown, savingsBreakdown, savingsQuery } from '../../contract/sync.ts';
import { endpoint } from '../http/endpoint.ts';
import { unpricedFields } from '../usage/uncertainty.ts';
import { percentage } from '../usage/percentage.ts';
import { readPlanContext, sessionUsage } from '../usage/session-usage.ts';
import { savingsPeriodView, savingsPeriod } from './savings-period.ts';

export const getSavingsBreakdown = endpoint({
  method: 'GET',
  path: '/api/mcp/savings/breakdown',
  summary: 'Local usage by model, at retail prices, dearest first',
  scope: 'usage:read',
  right: 'read',
  query: savingsQuery,
  answer: savingsBreakdown,
  async handle({ caller, query }, { clock, records, sessions }) {
    const plans = await readPlanContext(records, caller.workspaceId);
    const asked = savingsPeriod(query.period, query.date, plans.timeZone, clock());
    const { owed, covered } = await sessionUsage(sessions, caller.workspaceId, plans, asked.whole, []);
    const rows = [...savingsByModel(covered, true), ...savingsByModel(owed, false)].toSorted(byRetailCost);
    const retail = rows.reduce((sum, { totals }) => sum + totals.cost, 0n);
    return {
      ...savingsPeriodView(asked),
      retailCost: usdFromNano(retail),
      rows: rows.map((row) => savingsRowView(row, retail)),
    };
  },
});

interface ModelSavings extends Pick<SessionSum, 'provider' | 'model' | 'totals'> {
  readonly covered: boolean;
}

/** Whoever uploaded it. */
function savingsByModel(sums: readonly SessionSum[], covered: boolean): ModelSavings[] {
  const rows = new Map<string, ModelSavings>();
  for (const { provider, model, totals } of sums) {
    const key = JSON.stringify([provider, model]);
    const before = rows.get(key)?.totals;
    rows.set(key, { provider, model, covered, totals: before ? addSessionTotals(before, totals) : totals });
  }
  return [...rows.values()];
}

function byRetailCost(a: ModelSavings, b: ModelSavings): number {
  return Number(b.totals.cost - a.totals.cost) || b.totals.calls - a.totals.calls || (a.model < b.model ? -1 : 1);
}

function savingsRowView(
  { provider, model, covered, totals }: ModelSavings,
  retail: bigint,
): SavingsBreakdown['rows'][number] {
  const { calls, uncountedRecords, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = totals;
  return {
    provider,
    model,
    covered,
    calls,
    ...(uncountedRecords > 0 && { callsUnknown: true }),
    inputTokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    outputTokens,
    cacheReadTokens,
    cacheCreationTokens: cacheWriteTokens,
    retailCost: isPriced(totals) ? usdFromNano(totals.cost) : null,
    percentage: percentage(totals.cost, retail),
    ...unpricedFields(totals),
  };
}

function isPriced({ cost, unpricedCalls, unpricedUses }: SessionTotals): boolean {
  return cost > 0n || unpricedCalls + unpricedUses === 0;
}
