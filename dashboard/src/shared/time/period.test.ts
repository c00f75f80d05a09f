import { expect, test } from 'vitest';
import { choiceBetween, choosePeriod, periodBefore, chooseStep, stepEnd } from './period.ts';

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
  const before = { startDate: '2026-11-08T23:00:00.000Z', endDate: week.startDate, days: 7 };
  expect(periodBefore({ ...week, endDate: '2026-11-22T23:00:00.000Z' }, ZONE, NOW)).toEqual(before);
});

test('a longer period is compared with the same weekdays', () => {
  const days = choosePeriod({ from: '2026-11-01', to: '2026-11-10' }, NOW, ZONE);
  const before = { startDate: '2026-10-17T22:00:00.000Z', endDate: '2026-10-27T23:00:00.000Z', days: 10 };
  expect(periodBefore(days, ZONE, NOW)).toEqual(before);
});

test('the last week begins on a Monday and ends before the current one', () => {
  const week = choosePeriod({ range: 'last_week' }, NOW, ZONE);
  expect(week).toEqual({ startDate: '2026-11-08T23:00:00.000Z', endDate: '2026-11-15T23:00:00.000Z', days: 7 });
  expect(choosePeriod({ range: 'week' }, NOW, ZONE)).toEqual({ startDate: '2026-11-15T23:00:00.000Z', days: 7 });
});

test('a current period is compared with as much of the previous one', () => {
  const today = choosePeriod({ range: 'today' }, NOW, ZONE);
  expect(periodBefore(today, ZONE, NOW)).toEqual({
    startDate: '2026-11-20T23:00:00.000Z',
    endDate: '2026-11-20T23:30:00.000Z',
    days: 1,
  });
});

test('a period of minutes has its own length, and so has the previous one', () => {
  const minutes = choosePeriod({ from: '2026-11-20T10:00Z', to: '2026-11-20T16:00Z' }, NOW, ZONE);
  expect(minutes).toEqual({ startDate: '2026-11-20T10:00:00.000Z', endDate: '2026-11-20T16:00:00.000Z', days: 0.25 });
  expect(periodBefore(minutes, ZONE, NOW)).toMatchObject({
    startDate: '2026-11-20T04:00:00.000Z',
    endDate: '2026-11-20T10:00:00.000Z',
  });
});

test('the current step of a chart ends in the future', () => {
  const at = '2026-11-21T23:00:00.000Z';
  expect((['hour', 'day', 'week', 'month'] as const).map((step) => stepEnd(at, step, ZONE))).toEqual([
    '2026-11-22T00:00:00.000Z',
    '2026-11-22T23:00:00.000Z',
    '2026-11-22T23:00:00.000Z',
    '2026-11-30T23:00:00.000Z',
  ]);
});

test('a part of a chart is chosen by days if it has whole days', () => {
  expect(choiceBetween('2026-11-18T23:00:00.000Z', '2026-11-20T23:00:00.000Z', ZONE)).toEqual({
    from: '2026-11-19',
    to: '2026-11-20',
  });
  expect(choiceBetween('2026-11-18T23:00:00.000Z', '2026-11-19T05:00:00.000Z', ZONE)).toEqual({
    from: '2026-11-18T23:00Z',
    to: '2026-11-19T05:00Z',
  });
});

test('a chart has a readable number of bars', () => {
  expect([1 / 24, 1 / 4, 1, 7, 90, 365, 900].map(chooseStep)).toEqual([
    'minute',
    'ten_minutes',
    'hour',
    'day',
    'day',
    'week',
    'month',
  ]);
});
