import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bucketStarts } from '../time/period.ts';
import { addWhole, type WholeAmount } from '../money/money.ts';
import { calendarDays, isPlanName, PLANS, proratedCost, computeSavings } from './plan.ts';

const USD = 1_000_000_000;
const at = (text: string): number => Date.parse(text);

describe('a plan costs its monthly price by days', () => {
  test.each([
    ['a whole month', '2026-11-01T00:00:00Z', '2026-12-01T00:00:00Z', 'UTC', 100 * USD],
    ['a day of thirty', '2026-11-05T00:00:00Z', '2026-11-06T00:00:00Z', 'UTC', 3_333_333_333],
    ['a day of twenty-eight', '2026-02-05T00:00:00Z', '2026-02-06T00:00:00Z', 'UTC', 3_571_428_571],
    ['half a day', '2026-11-05T00:00:00Z', '2026-11-05T12:00:00Z', 'UTC', 1_666_666_667],
    ['days of two months', '2026-10-31T00:00:00Z', '2026-11-02T00:00:00Z', 'UTC', 6_559_139_785],
    ['a whole year', '2028-01-01T00:00:00Z', '2029-01-01T00:00:00Z', 'UTC', 1_200 * USD],
    ['nothing', '2026-11-05T00:00:00Z', '2026-11-05T00:00:00Z', 'UTC', 0],
    ['a month that lost an hour', '2026-02-28T23:00:00Z', '2026-03-31T22:00:00Z', 'Europe/Berlin', 100 * USD],
    ['the day that lost it', '2026-03-28T23:00:00Z', '2026-03-29T22:00:00Z', 'Europe/Berlin', 3_225_806_452],
    ['a day that lost its midnight', '2026-09-06T04:00:00Z', '2026-09-07T03:00:00Z', 'America/Santiago', 3_333_333_333],
    ['the day before it', '2026-09-05T04:00:00Z', '2026-09-06T04:00:00Z', 'America/Santiago', 3_333_333_333],
  ])('%s', (_, start, end, zone, cost) => {
    expect(proratedCost(100 * USD, { start: at(start), end: at(end) }, zone)).toBe(cost);
  });

  test('the days of a period add up to the cost of the period, except for rounding each', () => {
    const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata');
    const start = fc.integer({ min: at('2025-01-01T00:00:00Z'), max: at('2028-01-01T00:00:00Z') });
    fc.assert(
      fc.property(start, fc.integer({ min: 1, max: 90 * 86_400_000 }), zones, (from, length, zone) => {
        const period = { start: from, end: from + length };
        const starts = bucketStarts(period, 'day', zone);
        const days = starts.map((day, index) => ({ start: day, end: starts[index + 1] ?? period.end }));
        const sum = days.reduce<WholeAmount>((total, day) => addWhole(total, proratedCost(20 * USD, day, zone)), 0);
        expect(Math.abs(Number(sum) - Number(proratedCost(20 * USD, period, zone)))).toBeLessThanOrEqual(days.length);
      }),
    );
  });
});

test('a day is one day, however many hours it has', () => {
  const march = { start: at('2026-02-28T23:00:00Z'), end: at('2026-03-31T22:00:00Z') };
  expect(calendarDays(march, 'Europe/Berlin')).toBe(31);
  expect(calendarDays({ start: 0, end: 36 * 3_600_000 }, 'UTC')).toBe(1.5);
});

test('savings are retail minus plan, and may be negative', () => {
  expect(computeSavings(30 * USD, 20 * USD, 3)).toMatchObject({
    savings: 10n * BigInt(USD),
    ratio: 1.5,
    status: 'Saving',
  });
  expect(computeSavings(5 * USD, 20 * USD, 3)).toMatchObject({
    savings: -15n * BigInt(USD),
    status: 'Below Breakeven',
  });
  expect(computeSavings(20 * USD, 20 * USD, 3).status).toBe('Below Breakeven');
  expect(computeSavings(0, 20 * USD, 0).status).toBe('No Usage');
  expect(computeSavings(1, 0, 1).ratio).toBeNull();
});

test('plans are found by name', () => {
  expect(Object.keys(PLANS).every(isPlanName)).toBe(true);
  expect(['', 'Pro', 'constructor', 'toString'].some(isPlanName)).toBe(false);
});
