import { expect, test } from 'vitest';
import { choosePeriod, periodBefore, chooseStep } from './period.ts';

const ZONE = 'Europe/Berlin';
const NOW = Date.parse('2026-11-21T23:30:00Z');

test('a period begins at midnight of the zone, and a current one has no end', () => {
  expect(choosePeriod({ range: 'today' }, NOW, ZONE)).toEqual({ startDate: '2026-11-21T23:00:00.000Z', days: 1 });
  expect(choosePeriod({ range: 'month' }, NOW, ZONE)).toEqual({ startDate: '2026-10-31T23:00:00.000Z', days: 22 });
});

test('a past period has an end', () => {
  expect(choosePeriod({ range: 'last_month' }, NOW, ZONE)).toEqual({
    startDate: '2026-09-30T22:00:00.000Z',
    endDate: '2026-10-31T23:00:00.000Z',
    days: 31,
  });
});

test('both chosen days are included, in either order', () => {
  const picked = { startDate: '2026-10-24T22:00:00.000Z', endDate: '2026-10-26T23:00:00.000Z', days: 2 };
  expect(choosePeriod({ from: '2026-10-25', to: '2026-10-26' }, NOW, ZONE)).toEqual(picked);
  expect(choosePeriod({ from: '2026-10-26', to: '2026-10-25' }, NOW, ZONE)).toEqual(picked);
});

test('the previous period has the same length and ends where this one begins', () => {
  const week = choosePeriod({ range: '7d' }, NOW, ZONE);
  expect(periodBefore(week, ZONE)).toEqual({
    startDate: '2026-11-08T23:00:00.000Z',
    endDate: week.startDate,
    days: 7,
  });
});

test('a chart has a readable number of bars', () => {
  expect([1, 7, 90, 365, 900].map(chooseStep)).toEqual(['hour', 'day', 'day', 'week', 'month']);
});
