import { expect, test } from 'vitest';
import { digestWeek } from './weekly-digest.ts';

const at = (text: string): number => Date.parse(text);

test.each([
  ['a Wednesday', '2026-03-18T10:00:00Z', 'UTC', '2026-03-09', '2026-03-16T08:00:00Z'],
  ['Monday before it goes out', '2026-03-16T07:59:00Z', 'UTC', '2026-03-09', '2026-03-16T08:00:00Z'],
  [
    'Monday in Berlin, still Sunday in UTC',
    '2026-03-15T23:30:00Z',
    'Europe/Berlin',
    '2026-03-09',
    '2026-03-16T07:00:00Z',
  ],
  ['Sunday night in New York', '2026-03-16T03:00:00Z', 'America/New_York', '2026-03-02', '2026-03-09T12:00:00Z'],
  [
    'the Monday after clocks went forward',
    '2026-03-30T09:00:00Z',
    'Europe/Berlin',
    '2026-03-23',
    '2026-03-30T06:00:00Z',
  ],
])('%s', (_, now, zone, monday, sentAt) => {
  expect(digestWeek(at(now), zone)).toMatchObject({ monday, sentAt: at(sentAt) });
});

test('the week in which daylight saving time starts is an hour shorter and follows the previous one', () => {
  const { week, before } = digestWeek(at('2026-03-30T09:00:00Z'), 'Europe/Berlin');
  expect(week.end - week.start).toBe((7 * 24 - 1) * 3_600_000);
  expect(before.end).toBe(week.start);
});
