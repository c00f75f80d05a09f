import { offsetAt } from '../../domain/time/period.ts';
import { DAY_MS, WEEK_MS } from '../../domain/time/units.ts';

/** `2026-11-20` in the time zone. */
export function localDate(at: number, timeZone: string): string {
  return localTime(at, timeZone).slice(0, 10);
}

/** `2026-11-20 14:03` in the time zone. */
export function localMinute(at: number, timeZone: string): string {
  return localTime(at, timeZone).slice(0, 16).replace('T', ' ');
}

function localTime(at: number, timeZone: string): string {
  return new Date(at + offsetAt(at, timeZone)).toISOString();
}

/** `2026-W47`, by ISO 8601: a week is of the year that its Thursday lies in. */
export function isoWeek(at: number, timeZone: string): string {
  const day = Math.floor((at + offsetAt(at, timeZone)) / DAY_MS) * DAY_MS;
  const thursday = new Date(day + (3 - ((new Date(day).getUTCDay() + 6) % 7)) * DAY_MS);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / WEEK_MS) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}
