import { offsetAt } from '../time/period.ts';
import type { HourBucket, SpendSeries, SeriesScope } from './series.ts';
import { HOUR_MS } from '../time/units.ts';

export const DAY_HOURS = 24;
/** Two years: more than any backtest needs. */
const GRID_HOURS_MAX = 17_600;
/** No zone changes its clocks twice within this time. */
const BLOCK_HOURS = 12;
/** 1 January 1970 was a Thursday; 0 = Sunday. */
const FIRST_WEEKDAY = 4;
const WEEK_DAYS = 7;

/** The hours that are looked at, by their number, and what people call them in the workspace's zone. */
export interface HourGrid {
  /** Epoch ms of hour 0. */
  readonly start: number;
  readonly hours: number;
  readonly timeZone: string;
  /** Local hour of the day of each hour, and its local day, counted from the first day of the grid. */
  readonly hourOfDay: Uint8Array;
  readonly day: Int32Array;
  /** First hour of each day, then the end of the last. */
  readonly dayStarts: readonly number[];
  /** The first local day, in days since 1970. */
  readonly firstDay: number;
}

/** Hourly values, and their sums up to, but not with, each hour. */
export interface HourlyMeasure {
  readonly values: Float64Array;
  readonly sums: Float64Array;
}

/** One series on the grid. */
export interface SeriesTrack {
  readonly scope: SeriesScope;
  readonly name: string;
  /** Its first hour with anything; the number of hours of the grid if there is none. */
  readonly first: number;
  readonly cost: HourlyMeasure;
  /** null = not known for the whole series. */
  readonly calls: HourlyMeasure | null;
  readonly failed: HourlyMeasure | null;
  readonly tokens: HourlyMeasure | null;
}

/** Builds a grid of whole hours between two instants. The last hour may not have ended. */
export function makeGrid(since: number, until: number, timeZone: string): HourGrid {
  const end = Math.ceil(until / HOUR_MS);
  const begin = Math.max(Math.floor(since / HOUR_MS), end - GRID_HOURS_MAX);
  const hours = Math.max(0, end - begin);
  const hourOfDay = new Uint8Array(hours);
  const day = new Int32Array(hours);
  const dayStarts: number[] = [];
  const start = begin * HOUR_MS;
  const offsets = hourlyOffsets(start, hours, timeZone);
  const firstDay = Math.floor((start + (offsets[0] ?? 0)) / (DAY_HOURS * HOUR_MS));
  for (let i = 0; i < hours; i += 1) {
    const local = Math.floor((start + i * HOUR_MS + (offsets[i] ?? 0)) / HOUR_MS);
    const localDay = Math.floor(local / DAY_HOURS);
    hourOfDay[i] = local - localDay * DAY_HOURS;
    // Where clocks go back over midnight, the day that has begun stays.
    const number = Math.max(localDay - firstDay, dayStarts.length - 1);
    while (dayStarts.length <= number) dayStarts.push(i);
    day[i] = number;
  }
  dayStarts.push(hours);
  return { start, hours, timeZone, hourOfDay, day, dayStarts, firstDay };
}

/** Asking a calendar is slow: it is asked at both ends of a block, and hour by hour only where they differ. */
function hourlyOffsets(start: number, hours: number, timeZone: string): Int32Array {
  const offsets = new Int32Array(hours);
  if (timeZone === 'UTC') return offsets;
  let before = offsetAt(start, timeZone);
  for (let block = 0; block < hours; block += BLOCK_HOURS) {
    const after = offsetAt(start + (block + BLOCK_HOURS) * HOUR_MS, timeZone);
    for (let i = block; i < Math.min(hours, block + BLOCK_HOURS); i += 1)
      offsets[i] = before === after ? before : offsetAt(start + i * HOUR_MS, timeZone);
    before = after;
  }
  return offsets;
}

export function gridWeekday(grid: HourGrid, day: number): number {
  return (grid.firstDay + day + FIRST_WEEKDAY) % WEEK_DAYS;
}

/** First hour of a day, and with `day + 1` its end; days outside are cut to the grid. */
export function dayStart(grid: HourGrid, day: number): number {
  return day < 0 ? 0 : (grid.dayStarts[day] ?? grid.hours);
}

/** The hour that an instant lies in; may be outside. */
export function hourAt(grid: HourGrid, instant: number): number {
  return Math.floor((instant - grid.start) / HOUR_MS);
}

export function hourStart(grid: HourGrid, hour: number): number {
  return grid.start + hour * HOUR_MS;
}

export function makeTrack(grid: HourGrid, { scope, name, hours }: SpendSeries): SeriesTrack {
  const inside = hours.filter(({ hour }) => hour >= grid.start && hour < hourStart(grid, grid.hours));
  const [first] = inside;
  const known = (read: (bucket: HourBucket) => number | null): HourlyMeasure | null =>
    hours.some((bucket) => read(bucket) !== null) ? makeMeasure(grid, inside, (bucket) => read(bucket) ?? 0) : null;
  return {
    scope,
    name,
    first: first ? hourAt(grid, first.hour) : grid.hours,
    cost: makeMeasure(grid, inside, ({ cost }) => cost),
    calls: known(({ calls }) => calls),
    failed: known(({ failed }) => failed),
    tokens: known(({ tokens }) => tokens),
  };
}

function makeMeasure(
  grid: HourGrid,
  buckets: readonly HourBucket[],
  read: (bucket: HourBucket) => number,
): HourlyMeasure {
  const values = new Float64Array(grid.hours);
  for (const bucket of buckets) {
    const i = hourAt(grid, bucket.hour);
    values[i] = (values[i] ?? 0) + read(bucket);
  }
  return { values, sums: prefixSums(values) };
}

export function prefixSums(values: Float64Array): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i += 1) sums[i + 1] = (sums[i] ?? 0) + (values[i] ?? 0);
  return sums;
}

/** Sums the hours from `from` (inclusive) to `to` (exclusive). Hours before the grid count as 0. */
export function sumBetween(sums: Float64Array, from: number, to: number): number {
  return (sums[to] ?? 0) - (sums[Math.max(0, from)] ?? 0);
}

/** Sums of the whole days from one until, but not with, another. */
export function dayTotals(sums: Float64Array, grid: HourGrid, fromDay: number, toDay: number): number[] {
  const totals: number[] = [];
  for (let day = fromDay; day < toDay; day += 1)
    totals.push(sumBetween(sums, dayStart(grid, day), dayStart(grid, day + 1)));
  return totals;
}
