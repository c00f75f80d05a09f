import { calibrate, type Calibration, recurrentOf } from './calibrate.ts';
import { dayStart, dayTotals, type Grid, type Measure, sumBetween, sumsOf } from './grid.ts';
import { monthEcho, weekEcho } from './echo.ts';
import { cellOf, makeProfile, type Profile, relativeSpread } from './profile.ts';
import { median, quantile } from './robust.ts';

/** Days that the shape comes from, and days whose level counts as the present one. */
export const HISTORY_DAYS = 28;
const LEVEL_DAYS = 5;
const LEVEL_RANGE = [0.3, 10] as const;
/** A day with less than this part of the usual is too quiet to tell a level. */
const LEVEL_DAY_LEAST = 0.25;

/** Lengths of the sums that are judged, in hours. */
export const WINDOWS = [1, 6, 24] as const;

/** Parts of the typical hour below which nothing is a difference; the top hours are cut for the typical one. */
const FLOOR_PART = 0.1;
const TYPICAL_CUT = 0.98;
/** Calls differ in size: the variance of a sum of them, in calls of the mean size. */
const CALL_VARIANCE = 2;
const ECHO_SPREAD = 0.3;
/** Part of the variance that the hours of a day share. */
const ALIKE_PART = 0.1;
/** What lies so many spreads above the usual is a burst and no noise. */
const BURST_SCORE = 4;

/** How high the day's highest score usually gets, and the third largest burst: what came thrice at any hour may come again. */
interface WindowCalibration extends Calibration {
  /** Above the usual, in the measure's unit; 0 = bursts do not recur. */
  readonly burst: number;
}

/**
 * What is usual for one measure of one series on one local day, from the days before it alone. All 24 hours of the day
 * are judged by it, so that an hour costs a few subtractions and the work is done once a day.
 */
export interface Baseline {
  readonly day: number;
  /** First hour of the history on the grid, and the end of the day. */
  readonly from: number;
  readonly end: number;
  /** Whole days of history. */
  readonly days: number;
  readonly profile: Profile;
  readonly level: number;
  readonly typicalHour: number;
  /** What a whole day usually has above the sum of its usual hours: bursts that no hour expects. */
  readonly dayBursts: number;
  /** Sums over the hours since `from`. */
  readonly expected: Float64Array;
  readonly spread: Float64Array;
  readonly variance: Float64Array;
  /** One for each of WINDOWS. */
  readonly calibrations: readonly WindowCalibration[];
}

/** @param floor the smallest difference that matters to anybody, in the measure's unit */
export function makeBaseline(
  { values, sums }: Measure,
  grid: Grid,
  day: number,
  fromDay: number,
  unitSize: number,
  floor: number,
): Baseline {
  const from = dayStart(grid, fromDay);
  const end = dayStart(grid, day + 1);
  const today = dayStart(grid, day);
  const profile = makeProfile(values, grid, fromDay, day);
  const typicalHour = typicalOf(values.subarray(from, today));
  const expected = new Float64Array(end - from);
  for (let i = from; i < end; i += 1) {
    const [cell, factor] = cellOf(profile, grid, i);
    expected[i - from] = (profile.expected[cell] ?? 0) * factor;
  }
  const level = applyLevels(expected, sums, grid, fromDay, day);
  const spread = spreads({ values, grid, from, today, end }, expected, profile, { typicalHour, unitSize, floor });
  const variance = sumsOf(spread.map((one) => one * one));
  const shape = { from, expected: sumsOf(expected), spread: sumsOf(spread), variance };
  const calibrations = WINDOWS.map((window) => calibrateWindow(shape, sums, grid, fromDay, day, window));
  const bursts = dayTotals(sums, grid, fromDay, day).map((total, k) => {
    return total - expectedIn(shape, dayStart(grid, fromDay + k), dayStart(grid, fromDay + k + 1));
  });
  const dayBursts = Math.max(0, median(bursts));
  return { day, end, days: day - fromDay, profile, level, typicalHour, dayBursts, calibrations, ...shape };
}

type Shape = Pick<Baseline, 'from' | 'expected' | 'spread' | 'variance'>;

export function expectedIn({ from, expected }: Shape, start: number, end: number): number {
  return sumBetween(expected, start - from, end - from);
}

/** How far a sum of hours usually lies from the usual: hours differ each for itself, and a little all together. */
function spreadIn({ from, spread, variance }: Shape, start: number, end: number): number {
  const together = sumBetween(spread, start - from, end - from);
  return Math.sqrt(sumBetween(variance, start - from, end - from) + ALIKE_PART * together * together);
}

/** How far a sum of hours lies above the usual, in spreads. */
function scoreOf(shape: Shape, sums: Float64Array, start: number, end: number): number {
  const spread = spreadIn(shape, start, end);
  return spread > 0 ? (sumBetween(sums, start, end) - expectedIn(shape, start, end)) / spread : 0;
}

/** What lies `score` spreads above the usual. */
export function valueAtScore(shape: Shape, score: number, start: number, end: number): number {
  return expectedIn(shape, start, end) + score * spreadIn(shape, start, end);
}

function typicalOf(values: Float64Array): number {
  if (values.length === 0) return 0;
  const cut = quantile(values.toSorted(), TYPICAL_CUT);
  let sum = 0;
  for (const value of values) sum += Math.min(value, cut);
  return sum / values.length;
}

/**
 * Multiplies each day by the level of the days before it, so that growth and a launch become usual within days. The
 * level is never below that of the whole history: after quiet days, business as usual is no spike.
 */
function applyLevels(expected: Float64Array, sums: Float64Array, grid: Grid, fromDay: number, today: number): number {
  const from = dayStart(grid, fromDay);
  const totals: number[] = [];
  for (let day = fromDay; day <= today; day += 1) {
    let total = 0;
    for (let i = dayStart(grid, day); i < dayStart(grid, day + 1); i += 1) total += expected[i - from] ?? 0;
    totals.push(total);
  }
  const least = LEVEL_DAY_LEAST * median(totals);
  const ratios = totals.map((total, k) => {
    if (total <= 0 || total < least || fromDay + k === today) return NaN;
    return sumBetween(sums, dayStart(grid, fromDay + k), dayStart(grid, fromDay + k + 1)) / total;
  });
  const known = (list: readonly number[]): number[] => list.filter((ratio) => !Number.isNaN(ratio));
  const whole = known(ratios);
  const overall = whole.length > 0 ? median(whole) : 1;
  let level = 1;
  for (let day = fromDay; day <= today; day += 1) {
    const k = Math.max(day - fromDay, LEVEL_DAYS);
    const recent = known(ratios.slice(k - LEVEL_DAYS, k));
    const present = recent.length * 2 > LEVEL_DAYS ? median(recent) : overall;
    level = Math.min(LEVEL_RANGE[1], Math.max(LEVEL_RANGE[0], present, overall));
    for (let i = dayStart(grid, day); i < dayStart(grid, day + 1); i += 1)
      expected[i - from] = (expected[i - from] ?? 0) * level;
  }
  return level;
}

interface Stretch {
  readonly values: Float64Array;
  readonly grid: Grid;
  readonly from: number;
  readonly today: number;
  readonly end: number;
}

/** How far each hour may lie from the usual: its own past, the series' past, counting noise, and a floor. */
function spreads(
  stretch: Stretch,
  expected: Float64Array,
  profile: Profile,
  { typicalHour, unitSize, floor }: { typicalHour: number; unitSize: number; floor: number },
): Float64Array {
  const { grid, from, end } = stretch;
  const spread = new Float64Array(end - from);
  const relative = relativeSpread(profile);
  const least = (FLOOR_PART * typicalHour) ** 2 + 0.5 * typicalHour * unitSize + floor * floor;
  for (let i = from; i < end; i += 1) {
    const usual = expected[i - from] ?? 0;
    const [cell] = cellOf(profile, grid, i);
    const own = (profile.spread[cell] ?? 0) ** 2;
    const variance = 0.5 * own + 0.5 * (relative * usual) ** 2 + CALL_VARIANCE * unitSize * usual + least;
    spread[i - from] = Math.sqrt(variance);
  }
  addEchoes(stretch, expected, spread);
  return spread;
}

/** What came at this hour in other weeks, or around the turn of other months, is expected again. */
function addEchoes({ values, grid, from, today, end }: Stretch, expected: Float64Array, spread: Float64Array): void {
  for (let i = from; i < end; i += 1) {
    const usual = expected[i - from] ?? 0;
    const far = usual + 3 * (spread[i - from] ?? 0);
    const echo = Math.max(weekEcho(values, grid, i, from, today, far), monthEcho(values, grid, i, far));
    if (echo <= far || echo <= 1.5 * usual) continue;
    expected[i - from] = echo;
    spread[i - from] = Math.max(spread[i - from] ?? 0, ECHO_SPREAD * echo);
  }
}

function calibrateWindow(
  shape: Shape,
  sums: Float64Array,
  grid: Grid,
  fromDay: number,
  today: number,
  window: number,
): WindowCalibration {
  const highest: number[] = [];
  const bursts: number[] = [];
  for (let day = fromDay; day < today; day += 1) {
    let [top, burst] = [0, 0];
    for (let i = Math.max(dayStart(grid, day), shape.from + window - 1); i < dayStart(grid, day + 1); i += 1) {
      const [start, end] = [i + 1 - window, i + 1];
      const score = scoreOf(shape, sums, start, end);
      if (score > top) top = score;
      if (score < BURST_SCORE) continue;
      burst = Math.max(burst, sumBetween(sums, start, end) - expectedIn(shape, start, end));
    }
    highest.push(top);
    bursts.push(burst);
  }
  return { ...calibrate(highest), burst: recurrentOf(bursts) };
}
