import { dayStart, type Grid } from './grid.ts';

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** Weeks on either side that are asked. */
const WEEKS = 4;
const WEEKS_LEAST = 3;
/** Batch work starts a little earlier or later. */
const SHIFT_HOURS = 1;
const MONTH_SHIFT_HOURS = 3;
/** Days around the turn of a month in which months resemble each other. */
const TURN_DAYS = 3;
const MONTHS = 2;

/**
 * What other weeks had at this hour of the week: the second highest of at least three, so that one incident is not
 * expected again. 0 = it is no more than `far`.
 * @param today first hour that is not history
 */
export function weekEcho(
  values: Float64Array,
  grid: Grid,
  hour: number,
  from: number,
  today: number,
  far: number,
): number {
  const day = grid.day[hour] ?? 0;
  const inDay = hour - dayStart(grid, day);
  let [first, second, weeks] = [0, 0, 0];
  for (let shift = -WEEKS; shift <= WEEKS; shift += 1) {
    const other = dayStart(grid, day + shift * WEEK_DAYS) + inDay;
    if (shift === 0 || other < from || other >= today || day + shift * WEEK_DAYS < 0) continue;
    weeks += 1;
    const value = highestAround(values, other, SHIFT_HOURS, today);
    if (value > first) [first, second] = [value, first];
    else if (value > second) second = value;
  }
  return weeks >= WEEKS_LEAST && second > far ? second : 0;
}

/** What the months before had at this hour, counted from the turn of the month: the lower of those that are known. */
export function monthEcho(values: Float64Array, grid: Grid, hour: number, far: number): number {
  const day = grid.day[hour] ?? 0;
  const inDay = hour - dayStart(grid, day);
  const date = new Date((grid.firstDay + day) * DAY_MS);
  const [year, month, number] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const left = Date.UTC(year, month + 1, 1) / DAY_MS - (grid.firstDay + day);
  if (number > TURN_DAYS && left > TURN_DAYS) return 0;
  let lowest = 0;
  for (let back = 1; back <= MONTHS; back += 1) {
    const turn = Date.UTC(year, month - back + (number > TURN_DAYS ? 1 : 0), 1) / DAY_MS - grid.firstDay;
    const same = turn + (number > TURN_DAYS ? -left : number - 1);
    if (same < 0) break;
    const value = highestAround(values, dayStart(grid, same) + inDay, MONTH_SHIFT_HOURS, hour);
    lowest = back === 1 ? value : Math.min(lowest, value);
  }
  return lowest > far ? lowest : 0;
}

function highestAround(values: Float64Array, hour: number, shift: number, end: number): number {
  let highest = 0;
  for (let i = Math.max(0, hour - shift); i <= Math.min(end - 1, hour + shift); i += 1) {
    const value = values[i] ?? 0;
    if (value > highest) highest = value;
  }
  return highest;
}
