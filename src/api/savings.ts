import { sumTotals, type UsageTotals } from '../domain/usage/usage-totals.ts';
import { usdFromNano } from '../domain/money/money.ts';
import { toIso, readPeriod, startOfDay } from '../domain/time/period.ts';
import { PLANS } from '../domain/sessions/plan.ts';
import { PLAN_PROVIDERS } from '../domain/sessions/subscription.ts';
import { type SavingsBreakdown, type SavingsPeriod, type SavingsShape } from '../contract/sync.ts';
import { endpoint } from './http/endpoint.ts';
import { type PlanCosts, planCosts, planMoney, type PlanPeriod } from './usage/plan-costs.ts';
import { unpricedFields } from './usage/uncertainty.ts';
import { readPlanContext, sessionUsage } from './usage/session-usage.ts';
import { type ModelSum, subscriptionCalls } from './usage/subscription-calls.ts';
import { subscriptionView } from './subscriptions.ts';
import { TollbookError } from '../domain/errors.ts';
import { windowAt } from '../domain/time/window.ts';
import { percentage } from './usage/by-tag.ts';
import type { SessionStore } from '../storage/session-store.ts';
import type { Clock } from '../lib/clock.ts';
import type { UsageQueries } from '../storage/usage-queries.ts';
import type { Records } from '../storage/records/records.ts';

export interface SavingServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly reports: Pick<UsageQueries, 'series'>;
  readonly sessions: SessionStore;
}

const WINDOWS = { daily: 'day', weekly: 'week', monthly: 'month' } as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface AskedPeriod extends PlanPeriod {
  readonly kind: SavingsPeriod;
}

/** Returns the day, week or month of the time zone that contains the date. A bare date is a day of that zone. */
function savingsPeriod(kind: SavingsPeriod, date: string | undefined, timeZone: string, now: number): AskedPeriod {
  const whole = windowAt(WINDOWS[kind], readAnchor(date, timeZone, now), [{ zone: timeZone, since: 0 }]);
  const end = Math.min(whole.end, Math.max(whole.start, now));
  return { kind, whole, past: { start: whole.start, end }, timeZone };
}

function readAnchor(date: string | undefined, timeZone: string, now: number): number {
  if (date === undefined) return now;
  try {
    const { start } = readPeriod(date, '9999-12-31', now);
    return DAY.test(date) ? startOfDay(start, timeZone) : start;
  } catch {
    throw new TollbookError('invalid', 'date is not a date Tollbook can read. Write 2026-01-31.', 'date');
  }
}

function savingsPeriodView({ kind, whole, past, timeZone }: AskedPeriod) {
  return {
    period: kind,
    start: toIso(whole.start),
    end: toIso(whole.end),
    timeZone,
    inProgress: past.end < whole.end,
  };
}

const PRORATION =
  'Monthly price × seats × active days in the period ÷ days of the month. Up to now, today counts by the part of it that is over.';

export const getSavings = endpoint(
  'GET /api/mcp/savings',
  async ({ caller, query }, { clock, records, reports, sessions }: SavingServices) => {
    const now = clock();
    const plans = await readPlanContext(records, caller.workspaceId);
    const { subscriptions, timeZone } = plans;
    const asked = savingsPeriod(query.period, query.date, timeZone, now);
    const { owed: all, ...local } = await sessionUsage(sessions, caller.workspaceId, plans, asked.whole);
    const owed = all.filter(({ assistant }) => assistant !== null);
    const calls = await subscriptionCalls(records.keys, reports, caller.workspaceId, asked.whole);
    const covered = [...local.covered, ...calls];
    const paid = subscriptions.flatMap((subscription) => planCosts(subscription, asked) ?? []);
    const providers = PLAN_PROVIDERS.flatMap((provider) => {
      const own = paid.filter(({ subscription }) => subscription.provider === provider);
      const used = sumTotals(covered.filter((sum) => sum.provider === provider));
      if (own.length === 0) return [];
      return [{ provider, ...planMoney(used, own), subscriptions: own.map((one) => paidView(one, now, timeZone)) }];
    });
    const uncovered = sumTotals(owed);
    return {
      ...savingsPeriodView(asked),
      ...planMoney(sumTotals(covered), paid),
      proration: PRORATION,
      providers,
      uncovered: {
        cost: usdFromNano(uncovered.cost),
        calls: uncovered.calls,
        ...unpricedFields(uncovered),
      },
    };
  },
);

function paidView(
  { subscription, cost, full }: PlanCosts,
  now: number,
  timeZone: string,
): SavingsShape['providers'][number]['subscriptions'][number] {
  return {
    ...subscriptionView(subscription, now, timeZone),
    cost: usdFromNano(cost),
    fullPeriodCost: usdFromNano(full),
  };
}

export const getSavingsBreakdown = endpoint(
  'GET /api/mcp/savings/breakdown',
  async ({ caller, query }, { clock, records, reports, sessions }: SavingServices) => {
    const plans = await readPlanContext(records, caller.workspaceId);
    const asked = savingsPeriod(query.period, query.date, plans.timeZone, clock());
    const { owed: all, ...local } = await sessionUsage(sessions, caller.workspaceId, plans, asked.whole);
    const owed = all.filter(({ assistant }) => assistant !== null);
    const calls = await subscriptionCalls(records.keys, reports, caller.workspaceId, asked.whole);
    const covered = [...local.covered, ...calls];
    const rows = [...savingsByModel(covered, true), ...savingsByModel(owed, false)].toSorted(byRetailCost);
    const retail = rows.reduce((sum, { totals }) => sum + totals.cost, 0n);
    return {
      ...savingsPeriodView(asked),
      retailCost: usdFromNano(retail),
      rows: rows.map((row) => savingsRowView(row, retail)),
    };
  },
);

interface ModelSavings extends ModelSum {
  readonly covered: boolean;
}

/** Sums savings by model, over all uploaders. */
function savingsByModel(sums: readonly ModelSum[], covered: boolean): ModelSavings[] {
  const rows = new Map<string, ModelSavings>();
  for (const { provider, model, totals } of sums) {
    const key = JSON.stringify([provider, model]);
    const before = rows.get(key);
    rows.set(key, { provider, model, covered, totals: before ? sumTotals([before, { totals }]) : totals });
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

function isPriced({ cost, unpricedCalls, unpricedUses }: UsageTotals): boolean {
  return cost > 0n || unpricedCalls + unpricedUses === 0;
}

export const listPlans = endpoint('GET /api/mcp/plans', async () => {
  return Object.entries(PLANS).map(([id, { title, provider, usdPerMonth }]) => ({
    plan: id,
    name: title,
    provider,
    monthlyCost: usdPerMonth,
  }));
});
