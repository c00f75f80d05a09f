import { TollbookError } from '../../domain/errors.ts';
import { nextLocalDay, startOfDay } from '../../domain/time/period.ts';

/** Half-open time range in epoch ms; null = open. */
export interface TimeRange {
  readonly since: number | null;
  readonly until: number | null;
}

export const ALL_TIME: TimeRange = { since: null, until: null };

const DATE = /^(\d{4})-?(\d{2})-?(\d{2})$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * Parses a range between two days in the time zone (`2026-11-01` or `20261101`, including the last one) or instants
 * (`2026-11-01T12:00:00Z`).
 * @throws TollbookError `invalid`, naming the option.
 */
export function readRange(since: string | undefined, until: string | undefined, timeZone: string): TimeRange {
  const range = {
    since: since === undefined ? null : readInstant(since, '--since', (day) => day, timeZone),
    until: until === undefined ? null : readInstant(until, '--until', (day) => nextLocalDay(day, 'day'), timeZone),
  };
  if (range.since !== null && range.until !== null && range.since >= range.until)
    throw new TollbookError('invalid', '--since is after --until. Swap them or correct one.', '--since');
  return range;
}

function readInstant(text: string, option: string, edge: (localDay: number) => number, timeZone: string): number {
  const day = readDay(text);
  const instant = day === null ? (INSTANT.test(text) ? Date.parse(text) : NaN) : startOfDay(edge(day), timeZone);
  if (instant >= 0) return instant;
  const shown = text.slice(0, 40);
  throw new TollbookError(
    'invalid',
    `${option} "${shown}" is not a valid date. Enter a date such as 2026-01-31 or 2026-01-31T12:00:00Z.`,
    option,
  );
}

/** Parses a local day as if it were UTC; null = not a day of the calendar. */
function readDay(text: string): number | null {
  const [, year = '', month = '', day = ''] = DATE.exec(text) ?? [];
  const written = `${year}-${month}-${day}`;
  const date = new Date(`${written}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(written) ? date.getTime() : null;
}
