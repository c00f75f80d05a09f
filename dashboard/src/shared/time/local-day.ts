import { DAY_MS } from '../../../../src/domain/time/units.ts';

/** Returns the offset of a zone from UTC at an instant, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
  return local - Math.floor(instant / 1_000) * 1_000;
}

/** Returns the calendar day of an instant in a zone: `2026-01-31`. */
export function localDay(instant: number, zone: string): string {
  return new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 10);
}

/** Returns the epoch milliseconds of the start of a day in a zone, also where clocks skip midnight. */
export function dayStart(day: string, zone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // Clocks may change around midnight: take the first instant within the day for either offset.
  const starts = [utc - DAY_MS, utc + DAY_MS].map((near) => utc - offsetAt(near, zone));
  return Math.min(...starts.filter((start) => localDay(start, zone) === day));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** Returns the first day of the month. */
export function startOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

/** Returns the end of a calendar day (`2026-01-31`) in a zone, ISO 8601. */
export function endOfDay(day: string, zone: string): string {
  return new Date(dayStart(addDays(day, 1), zone)).toISOString();
}

/** Returns the last calendar day before an instant, for example the last valid day before an expiry. */
export function lastDayBefore(instant: string, zone: string): string {
  return localDay(Date.parse(instant) - 1, zone);
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Reads a typed date: `22 Nov 2026`, `November 22, 2026` or `2026-11-22`; null = not a date. */
export function readDay(text: string): string | null {
  const typed = text.trim().toLowerCase();
  if (isDay(typed)) return typed;
  const parts = /^(\d{1,2})[ .]+([a-z]{3,9})[ .,]+(\d{4})$/u.exec(typed) ?? swapped(typed);
  if (!parts) return null;
  const [, day = '', month = '', year = ''] = parts;
  const iso = `${year}-${String(MONTHS.indexOf(month.slice(0, 3)) + 1).padStart(2, '0')}-${day.padStart(2, '0')}`;
  // A day that the month lacks would become one of the next month.
  return isDay(iso) && addDays(iso, 0) === iso ? iso : null;
}

/** Matches a date with the month first, and returns its parts in the order day, month, year. */
function swapped(typed: string): readonly string[] | null {
  const [all, month, day, year] = /^([a-z]{3,9})[ .]+(\d{1,2})[ ,]+(\d{4})$/u.exec(typed) ?? [];
  return all === undefined || !month || !day || !year ? null : [all, day, month, year];
}

/** Lists the starts of all days of a period, ISO 8601. */
export function dayStarts({ start, end }: { readonly start: string; readonly end: string }, zone: string): string[] {
  const [first, last] = [localDay(Date.parse(start), zone), localDay(Date.parse(end) - 1, zone)];
  const starts: string[] = [];
  for (let day = first; day <= last; day = addDays(day, 1)) starts.push(new Date(dayStart(day, zone)).toISOString());
  return starts;
}
