import { DAY_HOURS, dayStart, type Grid, weekdayOf } from './grid.ts';
import { median, quantile, sorted, upperSpread } from './robust.ts';

/**
 * The seasonal shape of a series: what is usual at each local hour of each weekday, and how far hours lie from it.
 *
 * Weekdays fall into quiet, common and busy ones by their daily sums (so that Friday and Saturday may be a weekend), each
 * class has a median and a spread per hour of the day, spreads are smoothed over neighbours, and single weekdays move the
 * level within their class as far as their own few weeks prove it.
 */
export interface Profile {
  /** Index: class * 24 + hour of the day. */
  readonly expected: Float64Array;
  readonly spread: Float64Array;
  /** Part of the comparable hours that had anything, with neighbours: 0 = dead. */
  readonly active: Float64Array;
  /** How many comparable hours there are. */
  readonly comparable: Float64Array;
  /** Of each weekday, 0 = Sunday. */
  readonly classOf: readonly number[];
  readonly factorOf: readonly number[];
}

const WEEKDAYS = 7;
const CLASSES = 3;
const [QUIET, COMMON, BUSY] = [0, 1, 2];
const QUIET_BELOW = 0.6;
const BUSY_ABOVE = 1.7;
/** Weekdays are told apart only when each has been seen this often. */
const WEEKS_LEAST = 2;
/** With fewer comparable hours, neighbouring hours help. */
const OWN_HOURS_ENOUGH = 10;
/** Weeks that would have to speak before a weekday's own level counts half. */
const FACTOR_WEEKS = 3;
const FACTOR_RANGE = [0.6, 1.7] as const;

export function makeProfile(values: Float64Array, grid: Grid, fromDay: number, toDay: number): Profile {
  const { classOf, factorOf } = weekdayClasses(values, grid, fromDay, toDay);
  const cells = Array.from({ length: CLASSES * DAY_HOURS }, (): number[] => []);
  for (let day = fromDay; day < toDay; day += 1) {
    const kind = classOf[weekdayOf(grid, day)] ?? COMMON;
    const end = dayStart(grid, day + 1);
    for (let i = dayStart(grid, day); i < end; i += 1)
      cells[kind * DAY_HOURS + (grid.hourOfDay[i] ?? 0)]?.push(values[i] ?? 0);
  }
  const ordered = cells.map((cell) => Float64Array.from(cell).sort());
  return { ...describeCells(ordered), classOf, factorOf };
}

function describeCells(
  cells: readonly Float64Array[],
): Pick<Profile, 'expected' | 'spread' | 'active' | 'comparable'> {
  const size = CLASSES * DAY_HOURS;
  const own = Float64Array.from(cells, (cell) => quantile(cell, 0.5));
  const ownSpread = Float64Array.from(cells, upperSpread);
  const ownActive = Float64Array.from(cells, (cell) => cell.reduce((sum, value) => sum + (value > 0 ? 1 : 0), 0));
  const [expected, spread, active] = [new Float64Array(size), new Float64Array(size), new Float64Array(size)];
  const comparable = Float64Array.from(cells, (cell) => cell.length);
  for (let index = 0; index < size; index += 1) {
    const [before, after] = neighbours(index);
    const mixed = (of: Float64Array): number =>
      ((of[before] ?? 0) + 2 * (of[index] ?? 0) + (of[after] ?? 0)) / 4;
    const enough = (comparable[index] ?? 0) >= OWN_HOURS_ENOUGH;
    expected[index] = enough ? (own[index] ?? 0) : ((own[index] ?? 0) + mixed(own)) / 2;
    spread[index] = mixed(ownSpread);
    const seen = (comparable[before] ?? 0) + (comparable[index] ?? 0) + (comparable[after] ?? 0);
    const busy = (ownActive[before] ?? 0) + (ownActive[index] ?? 0) + (ownActive[after] ?? 0);
    active[index] = seen > 0 ? busy / seen : 0;
  }
  return { expected, spread, active, comparable };
}

function neighbours(index: number): readonly [before: number, after: number] {
  const hour = index % DAY_HOURS;
  const base = index - hour;
  return [base + ((hour + DAY_HOURS - 1) % DAY_HOURS), base + ((hour + 1) % DAY_HOURS)];
}

function weekdayClasses(
  values: Float64Array,
  grid: Grid,
  fromDay: number,
  toDay: number,
): Pick<Profile, 'classOf' | 'factorOf'> {
  const plain = { classOf: Array.from({ length: WEEKDAYS }, () => COMMON), factorOf: weekdays(() => 1) };
  if (toDay - fromDay < WEEKS_LEAST * WEEKDAYS) return plain;
  const totals = weekdays((): number[] => []);
  for (let day = fromDay; day < toDay; day += 1) totals[weekdayOf(grid, day)]?.push(dayTotal(values, grid, day));
  const typical = totals.map((ofWeekday) => median(ofWeekday));
  const common = median(typical);
  if (common <= 0) return plain;
  const classOf = typical.map((total) => {
    if (total < QUIET_BELOW * common) return QUIET;
    return total > BUSY_ABOVE * common ? BUSY : COMMON;
  });
  const factorOf = typical.map((total, weekday) => {
    const peers = typical.filter((_, other) => classOf[other] === classOf[weekday]);
    const level = median(peers);
    const weeks = totals[weekday]?.length ?? 0;
    if (level <= 0 || total <= 0) return 1;
    const factor = (total / level) ** (weeks / (weeks + FACTOR_WEEKS));
    return Math.min(FACTOR_RANGE[1], Math.max(FACTOR_RANGE[0], factor));
  });
  return { classOf, factorOf };
}

function weekdays<T>(make: () => T): T[] {
  return Array.from({ length: WEEKDAYS }, make);
}

function dayTotal(values: Float64Array, grid: Grid, day: number): number {
  let total = 0;
  const end = dayStart(grid, day + 1);
  for (let i = dayStart(grid, day); i < end; i += 1) total += values[i] ?? 0;
  return total;
}

/** The cell of an hour, and what its weekday multiplies it by. */
export function cellOf({ classOf, factorOf }: Profile, grid: Grid, hour: number): readonly [cell: number, factor: number] {
  const weekday = weekdayOf(grid, grid.day[hour] ?? 0);
  return [(classOf[weekday] ?? COMMON) * DAY_HOURS + (grid.hourOfDay[hour] ?? 0), factorOf[weekday] ?? 1];
}

/** The median of the parts of the usual that spreads are. */
export function relativeSpread({ expected, spread }: Profile): number {
  const parts: number[] = [];
  expected.forEach((usual, index) => {
    if (usual > 0) parts.push((spread[index] ?? 0) / usual);
  });
  return quantile(sorted(parts), 0.5);
}
