import type { Period } from '../time/period.ts';
import {
  dayStart,
  dayTotals,
  type HourGrid,
  hourAt,
  hourStart,
  makeGrid,
  sumBetween,
  prefixSums,
} from '../anomaly/grid.ts';
import { profileCell, makeProfile } from '../anomaly/profile.ts';
import { median, quantile, sortAscending } from '../anomaly/statistics.ts';
import { HOUR_MS } from '../time/units.ts';

/** One hour of what the limit counts, in its unit. */
export interface CountedHour {
  /** Epoch ms, a full UTC hour. */
  readonly hour: number;
  readonly counted: number;
}

export interface ForecastInput {
  readonly window: Period;
  readonly now: number;
  /** Amount counted in the window so far, and the amount of the limit; both in the limit's unit. */
  readonly counted: number;
  readonly amount: number;
  /** Usage of the limit's scope in the weeks before `now`, ascending; absent hours had none. */
  readonly hours: readonly CountedHour[];
  /** `hours` are all there from this instant on. */
  readonly since: number;
  readonly timeZone: string;
}

export interface LimitForecast {
  /**
   * Instant at which the amount is reached, epoch ms within the window; null = not in this window.
   */
  readonly passesAt: number | null;
  /** Amount counted at the end of the window: expected, and with days as quiet as one in five. */
  readonly expected: number;
  readonly quiet: number;
  /** Method: the pattern of previous weeks, or a straight line. */
  readonly basis: 'shape' | 'line';
  /** Whole days of history. */
  readonly days: number;
}

const HISTORY_DAYS = 28;
/** A shape needs so many whole days; a line so much of the window, or of the amount. */
const SHAPE_DAYS = 7;
const LINE_ELAPSED = 0.25;
/** Before this part of the window has passed, only an extreme pace is reported. */
const ELAPSED_LEAST = 0.05;
const OVERWHELMING = 0.5;
/** The window's own pace counts as much as the history's once the shape expected so much of a usual day. */
const OWN_DAYS = 1;
const PACE_RANGE = [0.1, 20] as const;
const QUIET_PART = 0.2;
/** Days that follow each other are quiet together. */
const ALIKE_DAYS = 3;
/** Windows with more hours left than this get no forecast. */
const HOURS_MAX = 8_800;

/**
 * Forecasts when a limit is reached, for alerts. `passesAt` is only set if even quiet days would reach the
 * amount. In the first twentieth of a window, half of the amount must be used. With less than a week of history, the
 * forecast is a straight line, from a quarter of the window on. null = no forecast.
 *
 * It reads weeks of usage. Lists of limits show `projectWindow` instead, which reads the open window only. Both differ
 * from `forecastSpend`, which is about the spend of a workspace, with or without limits.
 */
export function forecastLimit(input: ForecastInput): LimitForecast | null {
  const { window, now, counted, amount } = input;
  if (now < window.start || now >= window.end || counted < 0 || counted >= amount) return null;
  if ((window.end - now) / HOUR_MS > HOURS_MAX) return null;
  const elapsed = (now - window.start) / (window.end - window.start);
  if (elapsed <= 0 || (elapsed < ELAPSED_LEAST && counted < OVERWHELMING * amount)) return null;
  const shape = fitShape(input);
  return shape ? forecastByShape(input, shape) : forecastByLine(input, elapsed);
}

function forecastByLine({ window, now, counted, amount }: ForecastInput, elapsed: number): LimitForecast | null {
  if (elapsed < LINE_ELAPSED && counted < OVERWHELMING * amount) return null;
  const expected = counted / elapsed;
  const passesAt = window.start + ((window.end - window.start) * elapsed * amount) / counted;
  return {
    passesAt: expected > amount ? Math.max(now, Math.round(passesAt)) : null,
    expected: Math.round(expected),
    quiet: Math.round(expected),
    basis: 'line',
    days: 0,
  };
}

interface UsageShape {
  readonly grid: HourGrid;
  /** Sums of what is usual, over the hours of the grid until the window's end. */
  readonly usual: Float64Array;
  readonly perDay: number;
  /** Usage of a quiet day, one in five, as a part of a normal one. */
  readonly quiet: number;
  readonly days: number;
}

function fitShape({ window, now, hours, since, timeZone }: ForecastInput): UsageShape | null {
  const first = hours.find(({ counted }) => counted > 0)?.hour;
  if (first === undefined) return null;
  const begin = Math.max(since, first, now - (HISTORY_DAYS + 1) * 24 * HOUR_MS);
  const grid = makeGrid(Math.min(begin, window.start), window.end, timeZone);
  const values = new Float64Array(grid.hours);
  for (const { hour, counted } of hours) if (hour >= grid.start && hour <= now) values[hourAt(grid, hour)] = counted;
  const today = grid.day[hourAt(grid, now)] ?? 0;
  const fromDay = (grid.day[hourAt(grid, begin)] ?? 0) + 1;
  const days = today - fromDay;
  if (days < SHAPE_DAYS) return null;
  const profile = makeProfile(values, grid, fromDay, today);
  const usual = new Float64Array(grid.hours);
  for (let i = 0; i < grid.hours; i += 1) {
    const [cell, factor] = profileCell(profile, grid, i);
    usual[i] = (profile.expected[cell] ?? 0) * factor;
  }
  const sums = prefixSums(usual);
  const totals = dayTotals(prefixSums(values), grid, fromDay, today);
  const ratios = totals.map((total, k) => {
    const shaped = sumBetween(sums, dayStart(grid, fromDay + k), dayStart(grid, fromDay + k + 1));
    return { total, shaped };
  });
  const [total, shaped] = [median(ratios.map((one) => one.total)), median(ratios.map((one) => one.shaped))];
  // Bursts that no single hour expects belong to a day all the same: a flat part carries them.
  const flat = Math.max(0, total - shaped) / 24;
  const lifted = prefixSums(usual.map((value) => value + flat));
  const levels = ratios.flatMap((one) => (one.shaped + 24 * flat > 0 ? [one.total / (one.shaped + 24 * flat)] : []));
  const perDay = median(dayTotals(lifted, grid, fromDay, today));
  if (perDay <= 0) return null;
  const middle = median(levels);
  const quiet = middle > 0 ? Math.min(1, quantile(sortAscending(levels), QUIET_PART) / middle) : 0;
  return { grid, usual: lifted, perDay, quiet, days };
}

function forecastByShape({ window, now, counted, amount }: ForecastInput, shape: UsageShape): LimitForecast {
  const { grid, usual, perDay } = shape;
  const [from, to] = [hourAt(grid, window.start), hourAt(grid, window.end)];
  const present = hourAt(grid, now);
  const part = (now - hourStart(grid, present)) / HOUR_MS;
  const done = sumBetween(usual, from, present) + part * sumBetween(usual, present, present + 1);
  const prior = OWN_DAYS * perDay;
  const pace = Math.min(PACE_RANGE[1], Math.max(PACE_RANGE[0], (counted + prior) / (done + prior)));
  const left = sumBetween(usual, present, to) - part * sumBetween(usual, present, present + 1);
  const expected = counted + pace * left;
  // Quiet and busy days cancel out: the more of them are to come, the less all can be quiet together.
  const days = Math.max(1, left / perDay / ALIKE_DAYS);
  const quietPace = pace * (1 - (1 - shape.quiet) / Math.sqrt(days));
  const quiet = counted + quietPace * left;
  const rounded = {
    expected: Math.round(expected),
    quiet: Math.round(quiet),
    basis: 'shape' as const,
    days: shape.days,
  };
  if (quiet <= amount) return { ...rounded, passesAt: null };
  let sum = counted;
  for (let i = present; i < to; i += 1) {
    const share = i === present ? 1 - part : 1;
    const more = pace * share * sumBetween(usual, i, i + 1);
    if (sum + more > amount) {
      const at = hourStart(grid, i + 1 - share) + ((amount - sum) / more) * share * HOUR_MS;
      return { ...rounded, passesAt: Math.min(window.end - 1, Math.max(now, Math.round(at))) };
    }
    sum += more;
  }
  return { ...rounded, passesAt: window.end - 1 };
}
