import { TollbookError } from '../errors.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

/** Half-open: `start` belongs to it, `end` doesn't. Epoch milliseconds. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

export const PERIOD_STEPS = ['minute', 'ten_minutes', 'hour', 'day', 'week', 'month'] as const;
export type PeriodStep = (typeof PERIOD_STEPS)[number];

const DEFAULT_DAYS = 30;
/** Maximum points of a series, which is drawn or read by a person. */
const BUCKETS_MAX = 2_000;
/** Bounds the cache of formatters; there are fewer than 500 names of time zones in use. */
const ZONES_MAX = 600;

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const DATE_TIME = /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2})(:\d{2}(?:[.,]\d{1,9})?)?([Zz]|[+-]\d{2}(?::?\d{2})?)?$/;

/**
 * The period between two texts: ISO 8601 dates or date-times; one without an offset is UTC. A bare end date includes
 * its whole day. Absent: from 30 days before now until now.
 * @throws TollbookError `invalid`, naming the parameter.
 */
export function readPeriod(startDate: string | undefined, endDate: string | undefined, now: number): Period {
  const start = startDate === undefined ? now - DEFAULT_DAYS * DAY_MS : readInstant(startDate, 'startDate');
  const end = endDate === undefined ? now : readInstant(endDate, 'endDate') + (DATE.test(endDate) ? DAY_MS : 0);
  // A bare end date is a whole day, so that even its last instant is after a valid start.
  const reversed = endDate !== undefined && DATE.test(endDate) ? start >= end : start > end;
  if (reversed) {
    const help =
      startDate === undefined
        ? 'Give a startDate too: without one the period begins 30 days before now.'
        : 'Exchange startDate and endDate, or correct one.';
    throw new TollbookError('invalid', `The period begins after its end. ${help}`, 'startDate');
  }
  return { start, end };
}

/**
 * The whole UTC days that a period touches. Absent: today and the 29 days before it.
 * @throws TollbookError `invalid`, naming the parameter.
 */
export function readUtcDays(startDate: string | undefined, endDate: string | undefined, now: number): Period {
  const period = readPeriod(startDate, endDate, now);
  const end = Math.ceil(period.end / DAY_MS) * DAY_MS;
  if (startDate === undefined) return { start: end - DEFAULT_DAYS * DAY_MS, end };
  return { start: period.start - (period.start % DAY_MS), end };
}

export function toIso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Epoch ms of a date or date-time; a date is its 00:00 UTC, as is a date-time without an offset. */
export function readInstant(text: string, param: string): number {
  const instant = DATE.test(text) ? readDate(text) : readDateTime(text);
  // A year before 1970 or after 9999 is a slip of the pen, never a period of usage.
  if (Number.isNaN(instant) || instant < 0 || instant > Date.UTC(9999, 11, 31))
    throw new TollbookError(
      'invalid',
      `${param} is not a date Tollbook can read. Write 2026-01-31 or 2026-01-31T12:00:00Z.`,
      param,
    );
  return instant;
}

/** NaN for a day that the calendar doesn't have: `Date` would quietly read 31 February as 3 March. */
function readDate(text: string): number {
  const instant = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(instant) && toIso(instant).startsWith(text) ? instant : NaN;
}

function readDateTime(text: string): number {
  // A `+` that was not encoded arrives in a query as a space.
  const match = DATE_TIME.exec(text.replace(/ (\d{2}:?\d{2})$/, '+$1')) ?? DATE_TIME.exec(text);
  const [, date, minutes, seconds = ':00', zone = 'Z'] = match ?? [];
  if (date === undefined || minutes === undefined || Number.isNaN(readDate(date))) return NaN;
  return Date.parse(`${date}T${minutes}${seconds.replace(',', '.')}${readOffset(zone)}`);
}

/** `+0530` and `+05` as `+05:30` and `+05:00`. */
function readOffset(zone: string): string {
  if (zone === 'Z' || zone === 'z') return 'Z';
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
}

/**
 * Start instants of the steps of a period, ascending; the first is the period's own start, the others begin hours,
 * days, weeks (Monday) or months of the time zone's calendar. An empty period has none.
 * @throws TollbookError `invalid` when there would be too many.
 */
export function bucketStarts(period: Period, step: PeriodStep, timeZone: string): number[] {
  const starts: number[] = [];
  let next = period.start;
  while (next < period.end) {
    if (starts.length === BUCKETS_MAX)
      throw new TollbookError(
        'invalid',
        `This period has more than ${BUCKETS_MAX} steps (${step}); take a larger step or a shorter period.`,
        'step',
      );
    starts.push(next);
    next = nextBoundary(next, step, timeZone);
  }
  return starts;
}

/** Steps of a fixed length. */
const STEP_MS: Partial<Record<PeriodStep, number>> = {
  minute: MINUTE_MS,
  ten_minutes: 10 * MINUTE_MS,
  hour: HOUR_MS,
};

/** The first start of a step after this instant. */
function nextBoundary(instant: number, step: PeriodStep, timeZone: string): number {
  const offset = offsetAt(instant, timeZone);
  const local = instant + offset;
  const length = STEP_MS[step];
  if (length !== undefined) return (Math.floor(local / length) + 1) * length - offset;
  const day = Math.floor(local / DAY_MS) * DAY_MS;
  return startOfDay(nextLocalDay(day, step), timeZone);
}

/** Local days are written as if they were UTC. */
export function nextLocalDay(day: number, step: PeriodStep): number {
  const date = new Date(day);
  if (step === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1);
  const daysSinceMonday = (date.getUTCDay() + 6) % 7;
  return day + (step === 'week' ? 7 - daysSinceMonday : 1) * DAY_MS;
}

/**
 * The instant at which a local day begins, or any other local time. A time that happens twice counts from its first
 * time; one that clocks skip begins when they have jumped over it.
 */
export function startOfDay(localDay: number, timeZone: string): number {
  const before = offsetAt(localDay - DAY_MS, timeZone);
  const after = offsetAt(localDay + DAY_MS, timeZone);
  const early = localDay - before;
  if (before === after || offsetAt(early, timeZone) === before) return early;
  const late = localDay - after;
  return offsetAt(late, timeZone) === after ? late : early;
}

/**
 * Formatters by time zone. This code uses `Intl` instead of a library: the rules of zones come from the runtime either
 * way, `domain/` imports no package, and only the offset at an instant and the start of a local day are needed. The
 * Node version that runs it has no `Temporal`.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** Milliseconds to add to UTC for the local time of a zone at an instant. */
export function offsetAt(instant: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  const parts = zoneFormatter(timeZone).formatToParts(instant);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
  return local - Math.floor(instant / 1_000) * 1_000;
}

function zoneFormatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known) return known;
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  if (formatters.size >= ZONES_MAX) formatters.clear();
  formatters.set(timeZone, formatter);
  return formatter;
}

/** Periods as people name them. Days are those of the workspace's time zone. */
export const NAMED_PERIODS = ['last_24h', 'today', 'yesterday', 'last_7d', 'last_30d'] as const;
export type NamedPeriod = (typeof NAMED_PERIODS)[number];

const ROLLING_DAYS: Partial<Record<NamedPeriod, number>> = { last_24h: 1, last_7d: 7, last_30d: 30 };

/** Today ends now; yesterday is the whole day, however many hours it had. */
export function namedPeriod(name: NamedPeriod, now: number, timeZone: string): Period {
  const days = ROLLING_DAYS[name];
  if (days !== undefined) return { start: now - days * DAY_MS, end: now };
  const local = now + offsetAt(now, timeZone);
  const today = Math.floor(local / DAY_MS) * DAY_MS;
  const midnight = startOfDay(today, timeZone);
  return name === 'today'
    ? { start: midnight, end: now }
    : { start: startOfDay(today - DAY_MS, timeZone), end: midnight };
}

/** Returns the start of the local month. */
export function monthStart(now: number, timeZone: string): number {
  const local = new Date(now + offsetAt(now, timeZone));
  return startOfDay(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1), timeZone);
}

const DAY = /^(?:19|20)\d{2}-\d{2}-\d{2}$/;

/** A day as people write it. Throws `invalid`, naming the parameter. */
export function parseDay(text: string, param: string): string {
  const day = Date.parse(`${text}T00:00:00Z`);
  // `Date` would read 31 February as 3 March.
  if (DAY.test(text) && !Number.isNaN(day) && new Date(day).toISOString().startsWith(text)) return text;
  throw new TollbookError('invalid', `${param} is not a day; write 2026-01-31.`, param);
}

/** Formats the UTC day of an instant: `2026-01-31`. */
export function utcDate(ms: number): string {
  return toIso(ms).slice(0, 10);
}
