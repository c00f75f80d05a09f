import { offsetAt } from '../../domain/time/period.ts';
import { DAY_MS, WEEK_MS } from '../../domain/time/units.ts';

/** Formats a date in the time zone as `2026-11-20`. */
export function localDate(at: number, timeZone: string): string {
  return localTime(at, timeZone).slice(0, 10);
}

/** Formats a time in the time zone as `2026-11-20 14:03`. */
export function localMinute(at: number, timeZone: string): string {
  return localTime(at, timeZone).slice(0, 16).replace('T', ' ');
}

function localTime(at: number, timeZone: string): string {
  return new Date(at + offsetAt(at, timeZone)).toISOString();
}

/** Formats the ISO 8601 week as `2026-W47`. A week belongs to the year of its Thursday. */
export function isoWeek(at: number, timeZone: string): string {
  const day = Math.floor((at + offsetAt(at, timeZone)) / DAY_MS) * DAY_MS;
  const thursday = new Date(day + (3 - ((new Date(day).getUTCDay() + 6) % 7)) * DAY_MS);
  const first = Date.UTC(thursday.getUTCFullYear(), 0, 1);
  const week = Math.floor((thursday.getTime() - first) / WEEK_MS) + 1;
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, '0')}`;
}
