import { DAY_HOURS, type HourlyMeasure, sumBetween } from './grid.ts';
import { mean, median, medianDeviation } from './statistics.ts';

/** Days that a sum of hours is compared with. */
export const HISTORY_DAYS = 28;
const HISTORY_HOURS = HISTORY_DAYS * DAY_HOURS;
/** The same hour of other days, and so many hours before and after it. */
const SHIFT_HOURS = 1;
/** A spread is never taken for smaller than this part of the standard deviation, or of the median. */
const DEVIATION_PART = 0.6;
const MEDIAN_PART = 0.02;
/** Days at most this far apart belong to one incident. */
const INCIDENT_DAYS = 2;

/** Sums of as many hours as the judged one has, from the weeks before it. */
export interface PastSums {
  readonly measure: HourlyMeasure;
  readonly window: number;
  /** The last hours of the first and the last sum. */
  readonly from: number;
  readonly to: number;
  /** The judged hour, where only sums around the same hour of other days count; null = all count. */
  readonly around: number | null;
}

export interface SumRange {
  readonly low: number;
  readonly high: number;
  /** The same without the days of the lowest, and of the highest, sum. */
  readonly lowOfOthers: number;
  readonly highOfOthers: number;
}

export interface SumCenter {
  readonly median: number;
  readonly spread: number;
  /** The same, so that an incident has no say in it. */
  readonly calmSpread: number;
}

/** All sums of `window` hours since `first` that ended before the one that ends with `hour` began. */
export function pastSums(measure: HourlyMeasure, first: number, hour: number, window: number): PastSums {
  const from = Math.max(first + window - 1, hour - HISTORY_HOURS);
  return { measure, window, from, to: hour - window, around: null };
}

/** Those around the same hour of the day. */
export function sameHours(measure: HourlyMeasure, first: number, hour: number, window: number): PastSums {
  const from = Math.max(first + window - 1, hour - HISTORY_HOURS - SHIFT_HOURS);
  return { measure, window, from, to: hour - DAY_HOURS + SHIFT_HOURS, around: hour };
}

/** The end of the next older sum. */
function nextOlderEnd({ around }: PastSums, end: number): number {
  const isLast = around !== null && (around - end) % DAY_HOURS === SHIFT_HOURS;
  return isLast ? end - DAY_HOURS + 2 * SHIFT_HOURS : end - 1;
}

function sumAt({ measure, window }: PastSums, end: number): number {
  return sumBetween(measure.sums, end + 1 - window, end + 1);
}

/**
 * Tests whether sums at least this high (`direction` 1) or low (-1) occurred before; with `apart`, at times too far
 * apart for a single incident.
 */
export function isCommon(past: PastSums, sum: number, direction: 1 | -1, apart: boolean): boolean {
  const least = apart ? 2 * (INCIDENT_DAYS + 1) * DAY_HOURS : 0;
  let newest: number | null = null;
  for (let end = past.to; end >= past.from; end = nextOlderEnd(past, end)) {
    if (direction * sumAt(past, end) < direction * sum) continue;
    newest ??= end;
    if (newest - end >= least) return true;
  }
  return false;
}

export function findSumRange(past: PastSums): SumRange {
  const days = Math.max(0, Math.ceil((past.to - past.from + 1) / DAY_HOURS));
  const [lows, highs] = [new Float64Array(days).fill(Infinity), new Float64Array(days).fill(-Infinity)];
  for (let end = past.to; end >= past.from; end = nextOlderEnd(past, end)) {
    const sum = sumAt(past, end);
    const day = Math.floor((past.to - end) / DAY_HOURS);
    if (sum < (lows[day] ?? Infinity)) lows[day] = sum;
    if (sum > (highs[day] ?? -Infinity)) highs[day] = sum;
  }
  const high = Math.max(...highs);
  const low = Math.min(...lows);
  return {
    low,
    high,
    lowOfOthers: Math.min(...lows.filter(apartFrom(lows.indexOf(low)))),
    highOfOthers: Math.max(...highs.filter(apartFrom(highs.indexOf(high)))),
  };
}

function apartFrom(day: number): (_: number, other: number) => boolean {
  return (_, other) => Math.abs(other - day) > INCIDENT_DAYS;
}

/** The sums themselves, newest first. */
export function listPastSums(past: PastSums): Float64Array {
  const sums: number[] = [];
  for (let end = past.to; end >= past.from; end = nextOlderEnd(past, end)) sums.push(sumAt(past, end));
  return Float64Array.from(sums);
}

/** The median of sums, and how far they lie from it. */
export function sumCenter(sums: Float64Array): SumCenter {
  const middle = median(sums);
  const average = mean(sums);
  const deviation = Math.sqrt(mean(sums.map((sum) => (sum - average) ** 2)));
  const calmSpread = Math.max(medianDeviation(sums, middle), MEDIAN_PART * middle);
  return { median: middle, spread: Math.max(calmSpread, DEVIATION_PART * deviation), calmSpread };
}

/** Returns the normal sum from `start` (inclusive) to `end` (exclusive): the median of the same hours on other days. */
export function usualSum(measure: HourlyMeasure, first: number, start: number, end: number): number {
  return median(listPastSums(sameHours(measure, first, end - 1, end - start)));
}
