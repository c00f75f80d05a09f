import { DAY_HOURS, dayStart, type HourGrid, gridWeekday } from './grid.ts';
import { median, quantile } from './statistics.ts';

/**
 * The seasonal shape of a series: what is usual at each local hour of each weekday.
 *
 * Halves of weekdays fall into quiet, common and busy ones by their sums (so that Friday and Saturday may be a weekend, and
 * people may live in another zone than the workspace says), each class has a median per hour of the day, and single
 * weekdays move the level within their class as far as their own few weeks prove it.
 */
export interface SeasonalProfile {
  /** Index: class * 24 + hour of the day. */
  readonly expected: Float64Array;
  /** Class of each half of a weekday: index = weekday * 2, plus 1 for afternoons; 0 = Sunday. */
  readonly classOf: readonly number[];
  readonly factorOf: readonly number[];
}

const WEEK_DAYS = 7;
const NOON = 12;
const HALVES = 14;
const CLASSES = 3;
const [QUIET, COMMON, BUSY] = [0, 1, 2];
const QUIET_BELOW = 0.6;
const BUSY_ABOVE = 1.7;
/** Weekdays are only separated when each was seen this often. */
const WEEKS_LEAST = 2;
/** With fewer comparable hours, neighbouring hours help. */
const OWN_HOURS_ENOUGH = 10;
/** Weeks that would have to speak before a weekday's own level counts half. */
const FACTOR_WEEKS = 3;
const FACTOR_RANGE = [0.6, 1.7] as const;

export function makeProfile(values: Float64Array, grid: HourGrid, fromDay: number, toDay: number): SeasonalProfile {
  const { classOf, factorOf } = halfClasses(values, grid, fromDay, toDay);
  const cells = Array.from({ length: CLASSES * DAY_HOURS }, (): number[] => []);
  for (let i = dayStart(grid, fromDay); i < dayStart(grid, toDay); i += 1) {
    const hour = grid.hourOfDay[i] ?? 0;
    cells[(classOf[weekdayHalf(grid, i)] ?? COMMON) * DAY_HOURS + hour]?.push(values[i] ?? 0);
  }
  const ordered = cells.map((cell) => Float64Array.from(cell).toSorted());
  return { expected: describeCells(ordered), classOf, factorOf };
}

function describeCells(cells: readonly Float64Array[]): Float64Array {
  const own = Float64Array.from(cells, (cell) => quantile(cell, 0.5));
  return own.map((value, index) => {
    if ((cells[index]?.length ?? 0) >= OWN_HOURS_ENOUGH) return value;
    const [before, after] = neighbours(index);
    return (value + ((own[before] ?? 0) + 2 * value + (own[after] ?? 0)) / 4) / 2;
  });
}

function neighbours(index: number): readonly [before: number, after: number] {
  const hour = index % DAY_HOURS;
  const base = index - hour;
  return [base + ((hour + DAY_HOURS - 1) % DAY_HOURS), base + ((hour + 1) % DAY_HOURS)];
}

function weekdayHalf(grid: HourGrid, hour: number): number {
  return gridWeekday(grid, grid.day[hour] ?? 0) * 2 + ((grid.hourOfDay[hour] ?? 0) < NOON ? 0 : 1);
}

function halfClasses(
  values: Float64Array,
  grid: HourGrid,
  fromDay: number,
  toDay: number,
): Pick<SeasonalProfile, 'classOf' | 'factorOf'> {
  const classOf = Array.from({ length: HALVES }, () => COMMON);
  const factorOf = Array.from({ length: HALVES }, () => 1);
  if (toDay - fromDay < WEEKS_LEAST * WEEK_DAYS) return { classOf, factorOf };
  const totals = halfTotals(values, grid, fromDay, toDay);
  const typical = totals.map((list) => median(list));
  for (const noon of [0, 1]) {
    const common = median(typical.filter((_, half) => half % 2 === noon));
    if (common <= 0) continue;
    for (let half = noon; half < HALVES; half += 2) {
      const total = typical[half] ?? 0;
      if (total < QUIET_BELOW * common) classOf[half] = QUIET;
      else if (total > BUSY_ABOVE * common) classOf[half] = BUSY;
    }
    for (let half = noon; half < HALVES; half += 2) {
      const peers = typical.filter((_, other) => other % 2 === noon && classOf[other] === classOf[half]);
      const weeks = totals[half]?.length ?? 0;
      const ratio = (typical[half] ?? 0) / median(peers);
      if (!(ratio > 0 && ratio < Infinity)) continue;
      factorOf[half] = Math.min(FACTOR_RANGE[1], Math.max(FACTOR_RANGE[0], ratio ** (weeks / (weeks + FACTOR_WEEKS))));
    }
  }
  return { classOf, factorOf };
}

/** Returns the sums of each half of a weekday, one for each week. */
function halfTotals(values: Float64Array, grid: HourGrid, fromDay: number, toDay: number): number[][] {
  const totals = Array.from({ length: HALVES }, (): number[] => []);
  for (let day = fromDay; day < toDay; day += 1) {
    const sums = [0, 0];
    for (let i = dayStart(grid, day); i < dayStart(grid, day + 1); i += 1) {
      const noon = (grid.hourOfDay[i] ?? 0) < NOON ? 0 : 1;
      sums[noon] = (sums[noon] ?? 0) + (values[i] ?? 0);
    }
    sums.forEach((sum, noon) => totals[gridWeekday(grid, day) * 2 + noon]?.push(sum));
  }
  return totals;
}

/** The cell of an hour, and what its weekday multiplies it by. */
export function profileCell(
  { classOf, factorOf }: Pick<SeasonalProfile, 'classOf' | 'factorOf'>,
  grid: HourGrid,
  hour: number,
): readonly [cell: number, factor: number] {
  const half = weekdayHalf(grid, hour);
  return [(classOf[half] ?? COMMON) * DAY_HOURS + (grid.hourOfDay[hour] ?? 0), factorOf[half] ?? 1];
}
