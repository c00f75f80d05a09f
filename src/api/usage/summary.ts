import { usdFromNano } from '../../core/money.ts';
import { iso, readPeriod } from '../../core/period.ts';
import type { Summary, Totals } from '../../storage/store.ts';
import { periodQuery, usageSummary } from '../contract.ts';
import type { UsageSummary } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { addTotals, addUnder } from '../../storage/totals.ts';
import type { Sum } from '../../storage/totals.ts';
import { coveredUsage } from './covered.ts';
import { openDoubts } from './open-doubts.ts';
import { asTotals, plansOf, sessionUsage, sumSessions } from './session-usage.ts';
import type { SessionUsage } from './session-usage.ts';

export const summary = endpoint({
  method: 'GET',
  path: '/api/mcp/usage/summary',
  summary: 'Usage and cost of a period',
  scope: 'usage:read',
  query: periodQuery,
  answer: usageSummary,
  async handle({ caller, query }, { clock, records, reports, sessions }) {
    const period = readPeriod(query.startDate, query.endDate, clock());
    const plans = await plansOf(records, caller.workspaceId);
    const local = await sessionUsage(sessions, caller.workspaceId, plans, period);
    const { total, byProvider, byModel } = added(await reports.summary(caller.workspaceId, period), local);
    const covered = sumSessions(local.covered);
    return {
      totalCost: usdFromNano(total.cost),
      totalCalls: total.calls,
      totalInputTokens: total.inputTokens,
      totalOutputTokens: total.outputTokens,
      byProvider: shares(byProvider),
      byModel: shares(byModel),
      period: { start: iso(period.start), end: iso(period.end) },
      ...openDoubts(total),
      ...(sumSessions(local.owed).uncountedRecords > 0 && { callsUnknown: true }),
      ...(local.covered.length > 0 && { covered: coveredUsage(covered) }),
    };
  },
});

/** Calls of the gate, and local sessions beyond them that are owed. */
function added(proxied: Summary, { owed }: SessionUsage): Summary {
  const total: Sum = { ...proxied.total };
  const byProvider = copy(proxied.byProvider);
  const byModel = copy(proxied.byModel);
  for (const { provider, model, totals } of owed) {
    addTotals(total, asTotals(totals));
    addUnder(byProvider, provider, asTotals(totals));
    addUnder(byModel, model, asTotals(totals));
  }
  return { total, byProvider, byModel };
}

function copy(sums: ReadonlyMap<string, Totals>): Map<string, Sum> {
  return new Map([...sums].map(([name, totals]) => [name, { ...totals }]));
}

/** Dearest first. `fromEntries` makes plain fields of names such as `__proto__`, which a client may choose. */
function shares(rows: ReadonlyMap<string, Totals>): UsageSummary['byModel'] {
  const dearestFirst = [...rows].toSorted(([, a], [, b]) => Number(b.cost - a.cost) || b.calls - a.calls);
  return Object.fromEntries(dearestFirst.map(([name, { cost, calls }]) => [name, { cost: usdFromNano(cost), calls }]));
}
