import { expect, test } from 'vitest';
import { isoWeek, localDate, localMinute } from './local-date.ts';

const at = (text: string): number => Date.parse(text);

test.each([
  ['2026-11-20T23:30:00Z', 'UTC', '2026-11-20 23:30'],
  ['2026-11-20T23:30:00Z', 'Europe/Berlin', '2026-11-21 00:30'],
  ['2026-03-29T01:00:00Z', 'Europe/Berlin', '2026-03-29 03:00'],
  ['2026-11-20T00:00:00Z', 'America/St_Johns', '2026-11-19 20:30'],
])('%s is in %s %s', (instant, zone, text) => {
  expect(localMinute(at(instant), zone)).toBe(text);
  expect(localDate(at(instant), zone)).toBe(text.slice(0, 10));
});

test.each([
  ['2026-11-16T00:00:00Z', '2026-W47'],
  ['2026-11-22T23:59:59Z', '2026-W47'],
  ['2027-01-03T12:00:00Z', '2026-W53'],
  ['2027-01-04T00:00:00Z', '2027-W01'],
  ['2024-12-30T00:00:00Z', '2025-W01'],
])('the week of %s is %s', (instant, week) => {
  expect(isoWeek(at(instant), 'UTC')).toBe(week);
});
