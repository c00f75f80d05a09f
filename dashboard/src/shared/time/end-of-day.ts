import { addDays, dayStart, localDay } from './local-day.ts';

/** The instant at which a calendar day (`2026-01-31`) is over in a zone, ISO 8601. */
export function endOfDay(day: string, zone: string): string {
  return new Date(dayStart(addDays(day, 1), zone)).toISOString();
}

/** The last calendar day before an instant: of an expiry, the last day that it works. */
export function lastDayBefore(instant: string, zone: string): string {
  return localDay(Date.parse(instant) - 1, zone);
}
