import type { Period } from '../time/period.ts';
import type { CounterStatus } from './limit.ts';

/** Spend of one day, nano-USD. */
export interface DaySpend extends Period {
  readonly spent: number;
}

export interface SpendForecastInput {
  readonly now: number;
  /** Spend of the period so far, including today; nano-USD. */
  readonly spent: number;
  /** Days that are over, oldest first and without a gap, from the first one with use; the last is yesterday. */
  readonly past: readonly DaySpend[];
  readonly today: DaySpend;
  /** Whole days from tomorrow to the end of the period. */
  readonly coming: number;
}

/** Expected spend of a period, nano-USD. Four of five periods end between `low` and `high`. */
export interface SpendForecast {
  readonly expected: number;
  readonly low: number;
  readonly high: number;
  /** Whole days that it was taken from. */
  readonly days: number;
}

/** There is no forecast from fewer days. */
const DAYS_LEAST = 3;
/** Older days are ignored. */
const DAYS_MAX = 28;
/** A day counts half as much as one this many days later, so the forecast follows growth. */
const HALF_LIFE_DAYS = 7;
/** Minimum history for separate weekdays. */
const WEEKDAYS_FROM = 14;
/** Number of consecutive days that vary together, like one. */
const ALIKE_DAYS = 2;
/** Standard deviations around the mean with four of five values. */
const FOUR_OF_FIVE = 1.28;

/**
 * Forecasts the spend of a period from previous days. Recent days weigh more, and weekdays are separated from two weeks
 * on. The range grows with the variation of days, with fewer days, and with more time left. null = too few days.
 *
 * Not for limits: see `projectWindow` and `forecastLimit`.
 */
export function forecastSpend({ now, spent, past, today, coming }: SpendForecastInput): SpendForecast | null {
  const days = past.slice(-DAYS_MAX);
  if (days.length < DAYS_LEAST) return null;
  const ages = days.map((_, index) => days.length - index);
  const weights = ages.map((age) => 0.5 ** (age / HALF_LIFE_DAYS));
  const level = weightedMean(
    days.map((day) => day.spent),
    weights,
  );
  const shares = weekdayShares(days, level);
  const usual = (daysAhead: number): number => level * (shares[mod7(daysAhead)] ?? 1);
  const restOfToday = 1 - Math.min(1, Math.max(0, (now - today.start) / (today.end - today.start)));
  let expected = spent + usual(0) * restOfToday;
  for (let ahead = 1; ahead <= coming; ahead += 1) expected += usual(ahead);
  const squares = days.map((day, index) => (day.spent - usual(-(ages[index] ?? 0))) ** 2);
  const freedom = days.length / (days.length - 1);
  const spread = Math.sqrt(weightedMean(squares, weights) * freedom * ALIKE_DAYS);
  // Each day differs from the usual, and the usual itself is an estimate.
  const left = coming + restOfToday;
  const known = addAll(weights) ** 2 / addAll(weights.map((weight) => weight ** 2));
  const stray = FOUR_OF_FIVE * spread * Math.sqrt(left + left ** 2 / known);
  return {
    expected: Math.round(expected),
    low: Math.round(Math.max(spent, expected - stray)),
    high: Math.round(expected + stray),
    days: days.length,
  };
}

/** Returns the share of each weekday, starting today, of a normal day. With few weeks, shares stay near 1. */
function weekdayShares(days: readonly DaySpend[], level: number): readonly number[] {
  const shares = Array.from({ length: 7 }, () => 1);
  if (days.length < WEEKDAYS_FROM || level <= 0) return shares;
  const all = addAll(days.map((day) => day.spent)) / days.length;
  if (all <= 0) return shares;
  for (let weekday = 0; weekday < 7; weekday += 1) {
    const same = days.filter((_, index) => mod7(index - days.length) === weekday).map((day) => day.spent);
    const own = addAll(same) / same.length / all;
    shares[weekday] = (own * same.length + 1) / (same.length + 1);
  }
  return shares;
}

function mod7(days: number): number {
  return ((days % 7) + 7) % 7;
}

function weightedMean(values: readonly number[], weights: readonly number[]): number {
  return addAll(values.map((value, index) => value * (weights[index] ?? 0))) / addAll(weights);
}

function addAll(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Minimum elapsed part of a window: before, one large call would mislead. */
const ELAPSED_LEAST = 0.05;

/**
 * Projects the amount counted at the end of a window if its average pace so far continues, in the limit's unit: a
 * straight line, labeled "At this pace". `forecastLimit`, for alerts, also knows the weeks before. null = unknown: the
 * window never ends, is not open at this instant, or has just started.
 */
export function projectWindow(
  {
    counted,
    windowStart,
    windowEnd,
    isPartial,
  }: Pick<CounterStatus, 'counted' | 'windowStart' | 'windowEnd' | 'isPartial'>,
  at: number,
): number | null {
  if (windowEnd === null || isPartial) return null;
  const elapsed = (at - windowStart) / (windowEnd - windowStart);
  if (!(elapsed >= ELAPSED_LEAST && elapsed <= 1)) return null;
  return Math.round(Number(counted) / elapsed);
}
