import { unpricedFields } from './uncertainty.ts';
import { addWhole, usdFromNano, type WholeAmount } from '../../domain/money/money.ts';
import { computeSavings, proratedCost } from '../../domain/sessions/plan.ts';
import { type PlanSubscription, subscribedTime } from '../../domain/sessions/subscription.ts';
import type { Period } from '../../domain/time/period.ts';
import type { UsageTotals } from '../../domain/usage/usage-totals.ts';

/** A period with the part of it that is over. */
export interface PlanPeriod {
  readonly whole: Period;
  readonly past: Period;
  readonly timeZone: string;
}

/** Cost of a subscription in a period. */
export interface PlanCosts {
  readonly subscription: PlanSubscription;
  readonly cost: WholeAmount;
  readonly full: WholeAmount;
}

/** Computes the cost of a subscription in a period; null = not active in it. */
export function planCosts(subscription: PlanSubscription, { whole, past, timeZone }: PlanPeriod): PlanCosts | null {
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

/** Compares covered usage with the cost of the plans that cover it. */
export function planMoney(used: UsageTotals, paid: readonly PlanCosts[]) {
  const sum = (read: (one: PlanCosts) => WholeAmount): WholeAmount =>
    paid.reduce<WholeAmount>((total, one) => addWhole(total, read(one)), 0);
  const cost = sum((one) => one.cost);
  const uses = used.calls + used.uncountedRecords;
  const { savings: net, status } = computeSavings(used.cost, cost, uses);
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
