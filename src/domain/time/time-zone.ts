import { TollbookError } from '../errors.ts';

/** An IANA name in its usual spelling. Offsets such as `+02:00` know no summer time and are refused. */
export function parseTimeZone(text: string, param = 'timeZone'): string {
  try {
    const zone = new Intl.DateTimeFormat('en', { timeZone: text.trim() }).resolvedOptions().timeZone;
    if (!/^[+-]/.test(zone)) return zone;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  const shown = text.slice(0, 64);
  throw new TollbookError('invalid', `"${shown}" is not a time zone; use a name such as UTC or Europe/Berlin.`, param);
}

/** Weekdays by number: 0 = Sunday. */
export const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
export const DAY_MINUTES = 24 * 60;

/** Minutes of the day from `00:00` to `24:00`; null = it is no such text. */
export function readTimeOfDay(text: string): number | null {
  const match = /^(\d{1,2}):([0-5]\d)$/.exec(text.trim());
  const minutes = Number(match?.[1]) * 60 + Number(match?.[2]);
  return minutes <= DAY_MINUTES ? minutes : null;
}

export function timeOfDay(minutes: number): string {
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
