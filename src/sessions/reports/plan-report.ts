import { PROVIDER_OF_SOURCE } from '../../domain/sessions/local-call.ts';
import { addWhole, type WholeAmount } from '../../domain/money/money.ts';
import type { Period } from '../../domain/time/period.ts';
import {
  calendarDays,
  PLANS,
  type PlanName,
  proratedCost,
  type PlanSavings,
  computeSavings,
} from '../../domain/sessions/plan.ts';
import { windowAt } from '../../domain/time/window.ts';
import { type LocalTotals, type ModelUse, sumUses } from './model-use.ts';

const NANO_PER_USD = 1_000_000_000;

/** Savings of a plan on this machine in a period. */
export interface PlanReport extends PlanSavings {
  readonly plan: PlanName;
  readonly period: Period;
  /** Days of the period, including fractions. */
  readonly days: number;
  /** Totals of the covered usage. If calls have no price, retail cost and savings are minimums. */
  readonly totals: LocalTotals;
  /** Start (epoch ms) of the first day at whose end the retail cost exceeds the plan's cost for the period; null = none. */
  readonly breakEvenDay: number | null;
}

/**
 * Compares the retail cost of the usage that a plan covers in a period with the plan's cost: its monthly price by days.
 *
 * @param uses the earliest first; uses outside the period or of another provider are ignored
 */
export function planReport(uses: Iterable<ModelUse>, plan: PlanName, period: Period, timeZone: string): PlanReport {
  const { provider, usdPerMonth } = PLANS[plan];
  const covered = [...uses].filter(
    ({ call }) => PROVIDER_OF_SOURCE[call.source] === provider && call.at >= period.start && call.at < period.end,
  );
  const cost = proratedCost(usdPerMonth * NANO_PER_USD, period, timeZone);
  const totals = sumUses(covered);
  return {
    plan,
    period,
    days: calendarDays(period, timeZone),
    totals,
    ...computeSavings(totals.cost ?? 0, cost, totals.calls),
    breakEvenDay: breakEvenDay(covered, cost, timeZone),
  };
}

function breakEvenDay(covered: readonly ModelUse[], cost: WholeAmount, timeZone: string): number | null {
  let retail: WholeAmount = 0;
  for (const use of covered) {
    retail = addWhole(retail, use.cost ?? 0);
    if (retail > cost) return windowAt('day', use.call.at, [{ zone: timeZone, since: 0 }]).start;
  }
  return null;
}
