import { expect, test } from 'vitest';
import { dayStart, isDay, localDay, readDay } from './local-day.ts';

test.each([
  ['UTC', '2026-03-01', '2026-03-01T00:00:00.000Z'],
  ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00.000Z'],
  ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00.000Z'],
  ['Asia/Kolkata', '2026-06-01', '2026-05-31T18:30:00.000Z'],
  ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00.000Z'],
  // Clocks skip midnight here on this day.
  ['America/Santiago', '2026-09-06', '2026-09-06T04:00:00.000Z'],
])('in %s the day %s begins at %s', (zone, day, instant) => {
  expect(new Date(dayStart(day, zone)).toISOString()).toBe(instant);
  expect(localDay(Date.parse(instant), zone)).toBe(day);
  expect(localDay(Date.parse(instant) - 1, zone)).not.toBe(day);
});

test('only calendar days are accepted as days', () => {
  expect(['2026-01-31', '2026-13-01', 'yesterday', '2026-1-1'].map(isDay)).toEqual([true, false, false, false]);
});

test.each([
  ['22 Nov 2026', '2026-11-22'],
  [' 1 november 2026 ', '2026-11-01'],
  ['Nov 22, 2026', '2026-11-22'],
  ['2026-11-22', '2026-11-22'],
  ['31 Feb 2026', null],
  ['22 Nov', null],
  ['11/22/2026', null],
  ['', null],
])('the typed date "%s" is read as %s', (text, day) => expect(readDay(text)).toBe(day));
