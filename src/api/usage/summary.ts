import { usdFromNano } from '../../core/money.ts';
import { iso, readPeriod } from '../../core/period.ts';
import type { Totals } from '../../storage/store.ts';
import { periodQuery, usageSummary } from '../contract.ts';
import type { UsageSummary } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { openDoubts } from './open-doubts.ts';

export const summary = endpoint({
  method: 'GET',
  path: '/api/mcp/usage/summary',
  summary: 'Usage and cost of a period',
  scope: 'usage:read',
  query: periodQuery,
  answer: usageSummary,
  async handle({ caller, query }, { clock, reports }) {
    const period = readPeriod(query.startDate, query.endDate, clock());
    const { total, byProvider, byModel } = await reports.summary(caller.workspaceId, period);
    return {
      totalCost: usdFromNano(total.cost),
      totalCalls: total.calls,
      totalInputTokens: total.inputTokens,
      totalOutputTokens: total.outputTokens,
      byProvider: shares(byProvider),
      byModel: shares(byModel),
      period: { start: iso(period.start), end: iso(period.end) },
      ...openDoubts(total),
    };
  },
});

/** Dearest first. `fromEntries` makes plain fields of names such as `__proto__`, which a client may choose. */
function shares(rows: ReadonlyMap<string, Totals>): UsageSummary['byModel'] {
  const dearestFirst = [...rows].toSorted(([, a], [, b]) => Number(b.cost - a.cost) || b.calls - a.calls);
  return Object.fromEntries(dearestFirst.map(([name, { cost, calls }]) => [name, { cost: usdFromNano(cost), calls }]));
}
