import type { LimitWindow, ZoneChange } from '../../src/domain/limits/limit.ts';
import type { Period } from '../../src/domain/time/period.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Which window follows which in a zone's calendar, as a number that grows; from a local date alone. */
const NUMBERS = {
  day: (year, month, day) => dayNumber(year, month, day),
  // 1970 began on a Thursday, and weeks begin on Mondays.
  week: (year, month, day) => Math.floor((dayNumber(year, month, day) + 3) / 7),
  month: (year, month) => year * 12 + month,
} satisfies Record<string, (year: number, month: number, day: number) => number>;
type Calendar = keyof typeof NUMBERS;
/** Longer than any of these windows. */
const LONGER: Readonly<Record<Calendar, number>> = { day: 2 * DAY, week: 9 * DAY, month: 33 * DAY };

/**
 * The window of an instant, found in another way than the product does: what date it is where is asked of `Intl`, and
 * where the date changes is found by halving. A zone holds from the first window on that begins after it was set.
 */
export function trueWindow(window: LimitWindow, at: number, zones: readonly ZoneChange[]): Period {
  if (window === 'total') return { start: 0, end: Number.POSITIVE_INFINITY };
  if (window === 'minute') return { start: at - (at % MINUTE), end: at - (at % MINUTE) + MINUTE };
  if (window === 'hour') return { start: at - (at % HOUR), end: at - (at % HOUR) + HOUR };
  const [first, second] = zones;
  let period = inZone(window, second ? Math.min(at, second.since) : at, first?.zone ?? 'UTC');
  while (period.end <= at) {
    const { end: start } = period;
    const zone = zones.findLast(({ since }) => since < start)?.zone ?? 'UTC';
    const end = zones.some(({ since }) => since >= start && since < at)
      ? inZone(window, start, zone).end
      : inZone(window, at, zone).end;
    period = { start: Math.max(start, inZone(window, end - 1, zone).start), end };
  }
  return period;
}

/** To find one takes a while, and the same come again and again. */
const known = new Map<string, Period[]>();
const KNOWN_MAX = 100;

function inZone(window: Calendar, at: number, zone: string): Period {
  const key = `${window} ${zone}`;
  const periods = known.get(key) ?? [];
  const found = periods.find(({ start, end }) => at >= start && at < end);
  if (found) return found;
  const isBefore = (instant: number): boolean => numberAt(window, instant, zone) < numberAt(window, at, zone);
  const isNotAfter = (instant: number): boolean => numberAt(window, instant, zone) <= numberAt(window, at, zone);
  const period = {
    start: firstWhereNot(isBefore, at - LONGER[window], at),
    end: firstWhereNot(isNotAfter, at, at + LONGER[window]),
  };
  known.set(key, [period, ...periods.slice(0, KNOWN_MAX)]);
  return period;
}

/** It holds at `low`, and not at `high`. */
function firstWhereNot(holds: (instant: number) => boolean, low: number, high: number): number {
  let [last, first] = [low, high];
  while (first - last > 1) {
    const middle = Math.floor((last + first) / 2);
    if (holds(middle)) last = middle;
    else first = middle;
  }
  return first;
}

const dates = new Map<string, Intl.DateTimeFormat>();

function numberAt(window: Calendar, instant: number, zone: string): number {
  let date = dates.get(zone);
  if (!date) dates.set(zone, (date = new Intl.DateTimeFormat('sv-SE', { timeZone: zone })));
  const [year = 0, month = 0, day = 0] = date.format(instant).split('-').map(Number);
  return NUMBERS[window](year, month, day);
}

/** Days since 1970: every year's days, then those of its months. */
function dayNumber(year: number, month: number, day: number): number {
  const years = year - 1970;
  // Between 1970 and 2099 every fourth year is a leap year.
  const leapDays = Math.floor((years + 1) / 4);
  const february = year % 4 === 0 ? 29 : 28;
  const lengths = [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return years * 365 + leapDays + lengths.slice(0, month - 1).reduce((sum, length) => sum + length, 0) + day - 1;
}
