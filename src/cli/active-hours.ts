import type { PolicyShape } from '../contract/limits.ts';
import { TollbookError } from '../domain/errors.ts';

type ActiveHours = NonNullable<PolicyShape['activeHours']>;

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
const HOURS = /^(?:([a-z,-]+) +)?(\d{1,2}:\d{2}) *- *(\d{1,2}:\d{2}) +(\S+)$/i;

const WITHOUT_ZONE = /\d{1,2}:\d{2} *- *\d{1,2}:\d{2}$/;

/** `Mon-Fri 09:00-18:00 Europe/Berlin`, `Sat,Sun 00:00-24:00 UTC`; without days: every day. */
export function readActiveHours(text: string): ActiveHours {
  const [, days = 'mon-sun', from = '', until = '', timeZone = ''] = HOURS.exec(text.trim()) ?? [];
  const wanted = days.toLowerCase().split(',').map(readDays);
  if (timeZone !== '' && wanted.every((range) => range !== null))
    return { days: DAYS.filter((day) => wanted.some((range) => range.includes(day))), from, until, timeZone };
  const why = WITHOUT_ZONE.test(text.trim()) ? 'have no time zone' : 'are not valid active hours';
  throw new TollbookError('invalid', `"${text}" ${why}; for example: --hours 'Mon-Fri 09:00-18:00 Europe/Berlin'.`);
}

/** One day or a range of them, which may go over Sunday; null = not understood. */
function readDays(range: string): string[] | null {
  const [first = '', last = first, ...more] = range.split('-').map((day) => day.slice(0, 3));
  const from = DAYS.indexOf(first);
  const until = DAYS.indexOf(last);
  if (from < 0 || until < 0 || more.length > 0) return null;
  const length = ((until - from + DAYS.length) % DAYS.length) + 1;
  return Array.from({ length }, (_, index) => DAYS[(from + index) % DAYS.length] ?? '');
}

export function renderActiveHours({ days, from, until, timeZone }: ActiveHours): string {
  const shown = DAYS.filter((day) => days.includes(day)).join(',');
  return `${days.length === DAYS.length ? '' : `${shown} `}${from}-${until} ${timeZone}`;
}
