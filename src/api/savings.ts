import { addWhole, usdFromNano, type Whole } from '../domain/money/money.ts';
import type { Period } from '../domain/time/period.ts';
import { proratedCost, savingsOf } from '../domain/sessions/plan.ts';
import { PLAN_PROVIDERS, subscribedTime, type Subscription } from '../domain/sessions/subscription.ts';
import type { SessionTotals } from '../storage/store.ts';
import { savings, type SavingsShape, savingsQuery } from '../contract/sync.ts';
import { endpoint } from './http/endpoint.ts';
import { unpricedFields } from './usage/uncertainty.ts';
import { readPlanContext, sessionUsage, sumSessions } from './usage/session-usage.ts';
import { type AskedPeriod, savingsPeriodView, savingsPeriod } from './savings/savings-period.ts';
import { subscriptionView } from './savings/subscription-view.ts';

const PRORATION =
  'Monthly price × seats × days of the period that the subscription holds ÷ days of the month; up to now, a day counts by the part of it that is over.';

export const getSavings = endpoint({
  method: 'GET',
  path: '/api/mcp/savings',
  summary: 'What flat-rate subscriptions save, against retail prices',
  description:
    'Retail cost is what local sessions that a subscription covers would cost at the prices of the book, without the calls that went through the gate: those are paid by key.',
  scope: 'usage:read',
  right: 'read',
  query: savingsQuery,
  answer: savings,
  async handle({ caller, query }, { clock, records, sessions }) {
    const now = clock();
    const plans = await readPlanContext(records, caller.workspaceId);
    const { subscriptions, timeZone } = plans;
    const asked = savingsPeriod(query.period, query.date, timeZone, now);
    const { owed, covered } = await sessionUsage(sessions, caller.workspaceId, plans, asked.whole, []);
    const paid = subscriptions.flatMap((subscription) => planCosts(subscription, asked) ?? []);
    const providers = PLAN_PROVIDERS.flatMap((provider) => {
      const own = paid.filter(({ subscription }) => subscription.provider === provider);
      const used = sumSessions(covered.filter((sum) => sum.provider === provider));
      if (own.length === 0) return [];
      return [{ provider, ...moneyView(used, own), subscriptions: own.map((one) => paidView(one, now, timeZone)) }];
    });
    const uncovered = sumSessions(owed);
    return {
      ...savingsPeriodView(asked),
      ...moneyView(sumSessions(covered), paid),
      proration: PRORATION,
      providers,
      uncovered: {
        cost: usdFromNano(uncovered.cost),
        calls: uncovered.calls,
        ...unpricedFields(uncovered),
      },
    };
  },
});

/** What a subscription costs in a period. */
interface PaidPlans {
  readonly subscription: Subscription;
  readonly cost: Whole;
  readonly full: Whole;
}

/** null = it does not hold in the period. */
function planCosts(subscription: Subscription, { whole, past, timeZone }: AskedPeriod): PaidPlans | null {
  const time = subscribedTime(subscription, timeZone);
  const overlap = ({ start, end }: Period): Period => ({
    start: Math.max(start, time.start),
    end: Math.min(end, time.end),
  });
  if (overlap(whole).start >= overlap(whole).end) return null;
  const price = subscription.monthlyCost * subscription.seats;
  return {
    subscription,
    cost: proratedCost(price, overlap(past), timeZone),
    full: proratedCost(price, overlap(whole), timeZone),
  };
}

function moneyView(used: SessionTotals, paid: readonly PaidPlans[]) {
  const sum = (read: (one: PaidPlans) => Whole): Whole =>
    paid.reduce<Whole>((total, one) => addWhole(total, read(one)), 0);
  const cost = sum((one) => one.cost);
  const uses = used.calls + used.uncountedRecords;
  const { savings: net, status } = savingsOf(used.cost, cost, uses);
  return {
    retailCost: usdFromNano(used.cost),
    subscriptionCost: usdFromNano(cost),
    fullPeriodCost: usdFromNano(sum((one) => one.full)),
    netSavings: usdFromNano(net),
    status,
    calls: used.calls,
    ...(used.uncountedRecords > 0 && { callsUnknown: true }),
    ...unpricedFields(used),
  };
}

function paidView(
  { subscription, cost, full }: PaidPlans,
  now: number,
  timeZone: string,
): SavingsShape['providers'][number]['subscriptions'][number] {
  return {
    ...subscriptionView(subscription, now, timeZone),
    cost: usdFromNano(cost),
    fullPeriodCost: usdFromNano(full),
  };
}
