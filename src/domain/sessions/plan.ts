import { type Period, nextLocalDay, offsetAt, startOfDay } from '../time/period.ts';
import { divideHalfUp, type WholeAmount } from '../money/money.ts';
import { DAY_MS } from '../time/units.ts';

/** A flat-rate plan, at its list price in the United States. */
export interface FlatRatePlan {
  readonly title: string;
  /** Provider whose sessions the plan covers. */
  readonly provider: 'anthropic' | 'openai';
  /** For each seat. */
  readonly usdPerMonth: number;
}

export const PLANS = {
  pro: { title: 'Claude Pro', provider: 'anthropic', usdPerMonth: 20 },
  max_5x: { title: 'Claude Max 5x', provider: 'anthropic', usdPerMonth: 100 },
  max_20x: { title: 'Claude Max 20x', provider: 'anthropic', usdPerMonth: 200 },
  chatgpt_go: { title: 'ChatGPT Go', provider: 'openai', usdPerMonth: 8 },
  chatgpt_plus: { title: 'ChatGPT Plus', provider: 'openai', usdPerMonth: 20 },
  chatgpt_business: { title: 'ChatGPT Business', provider: 'openai', usdPerMonth: 30 },
  chatgpt_pro_100: { title: 'ChatGPT Pro', provider: 'openai', usdPerMonth: 100 },
  chatgpt_pro_200: { title: 'ChatGPT Pro', provider: 'openai', usdPerMonth: 200 },
} as const satisfies Record<string, FlatRatePlan>;
export type PlanName = keyof typeof PLANS;

export function isPlanName(text: string): text is PlanName {
  return Object.hasOwn(PLANS, text);
}

/** Common multiple of 28, 29, 30 and 31 days. */
const COMMON_DAYS = 377_580;

/**
 * Returns the cost of a plan for a period: monthly price × days of the period in a month ÷ days of that month, for each
 * month of the time zone. Every day counts as one, however long it is. Rounded half up once.
 *
 * @param nanoPerMonth nano-USD
 */
export function proratedCost(nanoPerMonth: number, { start, end }: Period, timeZone: string): WholeAmount {
  const localEnd = calendarTime(end, timeZone);
  let from = calendarTime(start, timeZone);
  let parts = 0n;
  while (from < localEnd) {
    const next = nextLocalDay(from, 'month');
    const monthDays = new Date(next - DAY_MS).getUTCDate();
    parts += BigInt(Math.min(next, localEnd) - from) * BigInt(COMMON_DAYS / monthDays);
    from = next;
  }
  return divideHalfUp(BigInt(nanoPerMonth) * parts, BigInt(COMMON_DAYS) * BigInt(DAY_MS));
}

/** Days of a period, as calendars of the time zone count them; half ones too. */
export function calendarDays({ start, end }: Period, timeZone: string): number {
  return (calendarTime(end, timeZone) - calendarTime(start, timeZone)) / DAY_MS;
}

/** Returns local time as if it were UTC. A day whose midnight is skipped still starts at that midnight. */
function calendarTime(at: number, timeZone: string): number {
  const local = at + offsetAt(at, timeZone);
  const day = Math.floor(local / DAY_MS) * DAY_MS;
  return startOfDay(day, timeZone) === at ? day : local;
}

export type SavingsStatus = 'Saving' | 'Below Breakeven' | 'No Usage';

export interface PlanSavings {
  /** nano-USD, as the usage would cost without a plan. */
  readonly retail: WholeAmount;
  /** nano-USD, of the plan. */
  readonly cost: WholeAmount;
  /** nano-USD, exact; below 0 where the plan costs more than it brings. */
  readonly savings: bigint;
  /** retail ÷ cost; null = the plan costs nothing. */
  readonly ratio: number | null;
  readonly status: SavingsStatus;
}

export function computeSavings(retail: WholeAmount, cost: WholeAmount, calls: number): PlanSavings {
  const savings = BigInt(retail) - BigInt(cost);
  return {
    retail,
    cost,
    savings,
    ratio: Number(cost) === 0 ? null : Number(retail) / Number(cost),
    status: calls === 0 ? 'No Usage' : savings > 0n ? 'Saving' : 'Below Breakeven',
  };
}
