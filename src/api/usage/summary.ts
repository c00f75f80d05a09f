import {
  addTotals,
  addUnder,
  sumTotals,
  type UsageTotals,
  type MutableTotals,
  withCostBasis,
} from '../../domain/usage/usage-totals.ts';
import type { CostBasis } from '../../domain/usage/call.ts';
import { usdFromNano } from '../../domain/money/money.ts';
import type { UsageServices } from './usage-rows.ts';
import { toIso, readPeriod } from '../../domain/time/period.ts';
import type { UsageSummary } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { coveredUsage, uncertaintyFields } from './uncertainty.ts';
import { readReportContext, readUnproxiedReports } from './reported-usage.ts';
import { readPlanContext, sessionUsage } from './session-usage.ts';
import { subscriptionCalls } from './subscription-calls.ts';
import type { UsageBreakdown } from '../../storage/usage-queries.ts';

export const summary = endpoint(
  'GET /api/mcp/usage/summary',
  async ({ caller: { workspaceId }, query }, services: UsageServices) => {
    const { clock, records, reports, sessions, unproxiedUsage } = services;
    const period = readPeriod(query.startDate, query.endDate, clock());
    const plans = await readPlanContext(records, workspaceId);
    const context = await readReportContext(services, workspaceId);
    const rest = await readUnproxiedReports(unproxiedUsage, workspaceId, period, context);
    const local = await sessionUsage(sessions, workspaceId, plans, period, context, rest.open);
    const { reported } = local;
    const covered = [...local.covered, ...(await subscriptionCalls(records.keys, reports, workspaceId, period))];
    const unproxied = [...local.owed, ...rest.owed];
    const { total, byProvider, byModel } = onCostBasis(
      addInto(await reports.summary(workspaceId, period), unproxied),
      query.cost,
    );
    return {
      totalCost: usdFromNano(total.cost),
      totalCalls: total.calls,
      totalInputTokens: total.inputTokens,
      totalOutputTokens: total.outputTokens,
      byProvider: shares(byProvider),
      byModel: shares(byModel),
      period: { start: toIso(period.start), end: toIso(period.end) },
      ...uncertaintyFields(total),
      ...(unproxied.some(({ totals }) => totals.uncountedRecords > 0) && { callsUnknown: true }),
      ...(covered.length > 0 && { covered: coveredUsage(sumTotals(covered)) }),
      ...(reported.length > 0 && { coveredByReports: coveredUsage(sumTotals(reported)) }),
    };
  },
);

interface UnproxiedParts {
  readonly provider: string;
  readonly model: string | null;
  readonly totals: UsageTotals;
}

/** Adds unproxied usage (from provider reports and local sessions) to calls of the gateway. */
function addInto(proxied: UsageBreakdown, unproxied: readonly UnproxiedParts[]): UsageBreakdown {
  const total: MutableTotals = { ...proxied.total };
  const byProvider = copy(proxied.byProvider);
  const byModel = copy(proxied.byModel);
  for (const { provider, model, totals } of unproxied) {
    addTotals(total, totals);
    addUnder(byProvider, provider, totals);
    if (model !== null) addUnder(byModel, model, totals);
  }
  return { total, byProvider, byModel };
}

function onCostBasis({ total, byProvider, byModel }: UsageBreakdown, basis: CostBasis): UsageBreakdown {
  const convert = (sums: ReadonlyMap<string, UsageTotals>): ReadonlyMap<string, UsageTotals> =>
    new Map([...sums].map(([name, totals]) => [name, withCostBasis(totals, basis)]));
  return { total: withCostBasis(total, basis), byProvider: convert(byProvider), byModel: convert(byModel) };
}

function copy(sums: ReadonlyMap<string, UsageTotals>): Map<string, MutableTotals> {
  return new Map([...sums].map(([name, totals]) => [name, { ...totals }]));
}

/**
 * Returns shares, highest cost first. `fromEntries` creates plain fields from names such as `__proto__`, which clients
 * may choose.
 */
function shares(rows: ReadonlyMap<string, UsageTotals>): UsageSummary['byModel'] {
  const byCost = [...rows].toSorted(([, a], [, b]) => Number(b.cost - a.cost) || b.calls - a.calls);
  return Object.fromEntries(
    byCost.map(([name, totals]) => [
      name,
      { cost: usdFromNano(totals.cost), calls: totals.calls, ...uncertaintyFields(totals) },
    ]),
  );
}
