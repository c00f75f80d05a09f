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

/** What a plan saved on this machine in a period. */
export interface PlanReport extends PlanSavings {
  readonly plan: PlanName;
  readonly period: Period;
  /** Days of the period, half ones too. */
  readonly days: number;
  /** Of the usage that the plan covers. Where calls have no price, retail cost and savings are at least so much. */
  readonly totals: LocalTotals;
  /** Epoch ms at which the first day begins whose end sees more retail cost than the plan costs for the period. */
  readonly breakEvenDay: number | null;
}

/**
 * Retail cost of the usage that a plan covers in a period, minus what the plan costs for it: its monthly price by days.
 *
 * @param uses the earliest first; those outside the period, or of another provider than the plan's, don't count
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
