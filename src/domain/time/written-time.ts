import { TollbookError } from '../errors.ts';
import { parseDuration } from './duration.ts';
import { nextLocalDay, offsetAt, readInstant, startOfDay } from './period.ts';
import { DAY_MS } from './units.ts';

/** Now, time zone and direction for reading a time that a person wrote. */
export interface WrittenTimeContext {
  /** Epoch ms. */
  readonly now: number;
  /** Time zone of days, and of times without an offset. */
  readonly timeZone: string;
  /** `end` = a day or month means its end: the last day of a period is part of it. */
  readonly edge: 'start' | 'end';
  /** `7d` is seven days ago or in seven days, and `monday` the last or the next one. */
  readonly direction: 'past' | 'future';
}

const DURATION = /^\d+ ?[smhd]$/;
const DAY = /^(\d{4})-?(\d{2})-?(\d{2})$/;
const MONTH = /^\d{4}-\d{2}$/;
const OFFSET = /(?:z|[+-]\d{2}(?::?\d{2})?)$/i;
const NEAR_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 };
const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const EXAMPLES = {
  past: '7d, 24h, yesterday, monday, 2026-01-31 or 2026-01-31T12:00',
  future: '7d, 24h, tomorrow, monday, 2027-01-31 or 2027-01-31T12:00',
} as const;

/**
 * Reads a time as people write it: `now`, a duration (`7d`, `24h`), a day (`yesterday`, `monday`, `2026-01-31`), a month
 * (`month` = this one, `2026-01`), or a date-time; without an offset it is in the time zone. Returns epoch ms.
 * @throws TollbookError `invalid`, naming the option.
 */
export function readWrittenTime(text: string, context: WrittenTimeContext, option: string): number {
  const words = text.trim().toLowerCase();
  if (words === 'now') return context.now;
  if (DURATION.test(words)) {
    const length = parseDuration(words, option);
    return context.now + (context.direction === 'past' ? -length : length);
  }
  const span = readSpan(words, context);
  const instant = span ? startOfDay(span[context.edge], context.timeZone) : readLocalDateTime(text.trim(), context);
  if (instant !== null) return instant;
  throw new TollbookError(
    'invalid',
    `${option} "${text.slice(0, 40)}" is not a valid time. Enter for example ${EXAMPLES[context.direction]}.`,
    option,
  );
}

/** Local days, written as if they were UTC; the end is exclusive. */
interface LocalSpan {
  readonly start: number;
  readonly end: number;
}

function readSpan(words: string, { now, timeZone, direction }: WrittenTimeContext): LocalSpan | null {
  const today = Math.floor((now + offsetAt(now, timeZone)) / DAY_MS) * DAY_MS;
  const near = NEAR_DAYS[words];
  if (near !== undefined) return daySpan(today + near * DAY_MS);
  const weekday = WEEKDAYS.findIndex((name) => name === words || name.slice(0, 3) === words);
  if (weekday >= 0) return daySpan(nearestWeekday(today, weekday, direction));
  const [month] = words === 'month' ? [new Date(today).toISOString().slice(0, 7)] : (MONTH.exec(words) ?? []);
  const written = month === undefined ? words.replace(DAY, '$1-$2-$3') : `${month}-01`;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(written)) return null;
  const start = Date.parse(`${written}T00:00:00Z`);
  // `Date` would read 31 February as 3 March.
  if (!(start >= 0) || !new Date(start).toISOString().startsWith(written)) return null;
  return month === undefined ? daySpan(start) : { start, end: nextLocalDay(start, 'month') };
}

function daySpan(start: number): LocalSpan {
  return { start, end: start + DAY_MS };
}

/** Today counts as the last such day, never as the next one. */
function nearestWeekday(today: number, weekday: number, direction: WrittenTimeContext['direction']): number {
  const passed = (new Date(today).getUTCDay() - weekday + 7) % 7;
  return today + (direction === 'past' ? -passed : 7 - passed) * DAY_MS;
}

/** Returns null for a text that is no date-time. */
function readLocalDateTime(text: string, { timeZone }: WrittenTimeContext): number | null {
  try {
    const instant = readInstant(text, '');
    return OFFSET.test(text) ? instant : startOfDay(instant, timeZone);
  } catch (error) {
    if (error instanceof TollbookError) return null;
    throw error;
  }
}
