import type { DaysPage, DayWindow } from './source.ts';
import { MalformedReport } from './source.ts';
import { DAY_MS } from '../domain/time/units.ts';

/**
 * A page must hold the days that were asked for, one after the other: a day that is missing would look like one without
 * use. Only days that have not begun by the provider's clock may be missing at the end: today, where clocks differ.
 */
export function checkDays({ days, next }: DaysPage, { start, end }: DayWindow, tomorrow: number): void {
  let expected = start;
  for (const { day } of days) {
    if (day !== expected || day >= end) throw new MalformedReport('days are missing, or are not in order');
    expected += DAY_MS;
  }
  if (next !== null && days.length === 0) throw new MalformedReport('a page with a next one holds no day');
  if (next === null && expected < Math.min(end, tomorrow - DAY_MS))
    throw new MalformedReport('it ends before the days that were asked for; is the clock of this machine right?');
}
