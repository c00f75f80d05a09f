import { offsetAt, type PeriodStep } from '../time/period.ts';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** Epoch milliseconds, or ISO 8601. */
type TimeInput = number | string;

/** Formats the date of an instant in a time zone: `22 Nov 2026`. */
export function formatDate(at: TimeInput, timeZone: string): string {
  return writeDate(localTime(at, timeZone));
}

/** Formats a calendar day, given as `2026-11-22`: `22 Nov 2026`. */
export function formatDay(day: string): string {
  return formatDate(`${day}T00:00:00Z`, 'UTC');
}

/** Formats an instant to the minute: `22 Nov 2026, 14:03`. */
export function formatDateTime(at: TimeInput, timeZone: string): string {
  const local = localTime(at, timeZone);
  return `${writeDate(local)}, ${writeTime(local)}`;
}

/** Formats an instant for a narrow column: `22 Nov 14:03`. */
export function formatShortTime(at: TimeInput, timeZone: string): string {
  const local = localTime(at, timeZone);
  return `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${writeTime(local)}`;
}

/** Formats an instant to the second: `22 Nov 2026, 14:03:07`. */
export function formatSeconds(at: TimeInput, timeZone: string): string {
  return `${formatDateTime(at, timeZone)}:${twoDigits(localTime(at, timeZone).getUTCSeconds())}`;
}

/** Formats an instant with its weekday: `Sun 22 Nov 2026, 14:03`. */
export function formatWeekdayTime(at: TimeInput, timeZone: string): string {
  return `${WEEKDAYS[localTime(at, timeZone).getUTCDay()]} ${formatDateTime(at, timeZone)}`;
}

/** Formats two instants: `22 Nov 2026, 14:00 to 15:00`, with the second date when it differs. */
export function formatSpan(from: TimeInput, to: TimeInput, timeZone: string, format = formatDateTime): string {
  const isOneDay = formatDate(from, timeZone) === formatDate(to, timeZone);
  return `${format(from, timeZone)} to ${isOneDay ? writeTime(localTime(to, timeZone)) : format(to, timeZone)}`;
}

/** Formats a time of day: `14:03`. */
export function formatTime(at: TimeInput, timeZone: string): string {
  return writeTime(localTime(at, timeZone));
}

/** Returns true for steps that are shorter than a day. */
export function isWithinDay(step: PeriodStep): boolean {
  return step === 'minute' || step === 'ten_minutes' || step === 'hour';
}

/** Formats the start of one step of a chart: `Sun 14:00`, `22 Nov`, `Nov 2026`. */
export function formatStep(at: TimeInput, step: PeriodStep, timeZone: string): string {
  const local = localTime(at, timeZone);
  const month = MONTHS[local.getUTCMonth()];
  if (isWithinDay(step)) return `${WEEKDAYS[local.getUTCDay()]} ${writeTime(local)}`;
  return step === 'month' ? `${month} ${local.getUTCFullYear()}` : `${local.getUTCDate()} ${month}`;
}

/** Formats one step of a chart in full: `Sun 22 Nov 2026, 14:00 to 15:00`, `Sun 22 Nov 2026`, `Nov 2026`. */
export function formatWholeStep(from: TimeInput, until: TimeInput, step: PeriodStep, timeZone: string): string {
  const local = localTime(from, timeZone);
  const weekday = WEEKDAYS[local.getUTCDay()];
  if (isWithinDay(step)) return formatSpan(from, until, timeZone, formatWeekdayTime);
  if (step === 'day') return `${weekday} ${writeDate(local)}`;
  if (step === 'month') return formatStep(from, step, timeZone);
  return `${writeDate(local)} to ${formatDate(new Date(until).getTime() - 1, timeZone)}`;
}

/** Returns the local time of a zone, as if it were UTC. */
function localTime(at: TimeInput, timeZone: string): Date {
  const instant = new Date(at).getTime();
  return new Date(instant + offsetAt(instant, timeZone));
}

function writeDate(local: Date): string {
  return `${local.getUTCDate()} ${MONTHS[local.getUTCMonth()]} ${local.getUTCFullYear()}`;
}

function writeTime(local: Date): string {
  return `${twoDigits(local.getUTCHours())}:${twoDigits(local.getUTCMinutes())}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
