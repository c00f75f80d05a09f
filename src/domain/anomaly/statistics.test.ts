import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  betaBinomialTail,
  logGamma,
  mean,
  median,
  medianDeviation,
  quantile,
  recurrentHigh,
  sortAscending,
} from './statistics.ts';
import { dayStart, makeGrid, prefixSums } from './grid.ts';
import { sumCenter, pastSums, findSumRange, sameHours, listPastSums } from './past-sums.ts';
import { HOUR_MS } from '../time/units.ts';

describe('order statistics', () => {
  test('an outlier moves neither the median nor the usual distance from it', () => {
    expect(median([1, 2, 3, 1e9])).toBe(2.5);
    expect(medianDeviation([1, 2, 3, 4, 1e9], 3)).toBeCloseTo(1.4826);
    expect(quantile(sortAscending([]), 0.5)).toBe(0);
    expect(mean(new Float64Array())).toBe(0);
  });
});

describe('the beta-binomial tail', () => {
  test('equals the sum of all cases', () => {
    expect(logGamma(10)).toBeCloseTo(Math.log(362_880), 10);
    expect(betaBinomialTail(0, 10, 1, 9)).toBe(1);
    // Uniform over 0 to 10 hits where both parameters are 1.
    expect(betaBinomialTail(8, 10, 1, 1)).toBeCloseTo(3 / 11, 10);
    expect(betaBinomialTail(1, 1, 2, 6)).toBeCloseTo(0.25, 10);
  });

  test('falls with more hits and stays a probability', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 500 }), fc.double({ min: 0.01, max: 50, noNaN: true }), (trials, alpha) => {
        const tails = [0, 1, Math.ceil(trials / 2), trials].map((hits) => betaBinomialTail(hits, trials, alpha, 10));
        tails.forEach((tail, i) => expect(tail).toBeLessThanOrEqual((tails[i - 1] ?? 1) + 1e-9));
        expect(tails.at(-1)).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

test('an amount on three separate days recurs; neighboring days count once', () => {
  const days = Array.from({ length: 28 }, (_, day) => (day % 6 === 0 ? 60 : 2));
  expect(recurrentHigh(days)).toBe(60);
  expect(recurrentHigh(days.map((value, day) => (day < 3 ? 200 : value)))).toBe(60);
  expect(recurrentHigh(days.map((value, day) => (day === 3 || day === 15 ? 200 : value)))).toBe(60);
  expect(recurrentHigh([60, 60])).toBe(0);
});

describe('the baseline of a sum', () => {
  // Each hour has its own number, so that a sum says which hours it has.
  const values = Float64Array.from({ length: 40 * 24 }, (_, hour) => hour);
  const measure = { values, sums: prefixSums(values) };

  test('is the four weeks before it, without overlapping hours and without hours before the series began', () => {
    const hour = 30 * 24;
    expect(findSumRange(pastSums(measure, 0, hour, 1))).toMatchObject({ low: hour - 672, high: hour - 1 });
    expect(findSumRange(pastSums(measure, hour - 5, hour, 1))).toMatchObject({ low: hour - 5 });
    const six = listPastSums(pastSums(measure, 0, hour, 6));
    expect(six[0]).toBe([6, 7, 8, 9, 10, 11].reduce((sum, back) => sum + hour - back, 0));
  });

  test('at the same hour of the day, is that hour and its neighbors on each day before', () => {
    const hour = 30 * 24;
    const same = [...listPastSums(sameHours(measure, 0, hour, 1))];
    expect(same.slice(0, 4)).toEqual([hour - 23, hour - 24, hour - 25, hour - 47]);
    expect(same).toHaveLength(28 * 3);
  });

  test('has the highest of the days outside a single incident', () => {
    const spiked = values.map((_, hour) => (hour >= 480 && hour < 500 ? 90 : 5 + (hour % 3)));
    const range = findSumRange(pastSums({ values: spiked, sums: prefixSums(spiked) }, 0, 30 * 24, 1));
    expect(range).toEqual({ low: 5, high: 90, lowOfOthers: 5, highOfOthers: 7 });
  });

  test('has a spread even if all values are equal', () => {
    expect(sumCenter(new Float64Array(50).fill(100))).toEqual({ median: 100, spread: 2, calmSpread: 2 });
  });
});

describe('the hour grid', () => {
  test.each([
    ['Europe/Berlin', Date.UTC(2026, 2, 28), [24, 23, 24]],
    ['Europe/Berlin', Date.UTC(2026, 9, 24), [24, 25, 24]],
    ['UTC', Date.UTC(2026, 2, 28), [24, 24, 24]],
  ])('in %s, days have the local number of hours', (zone, start, lengths) => {
    const grid = makeGrid(start, start + 6 * 24 * HOUR_MS, zone);
    expect([1, 2, 3].map((day) => dayStart(grid, day + 1) - dayStart(grid, day)).slice(0, 3)).toEqual(
      zone === 'UTC' ? lengths : expect.arrayContaining([lengths[1]]),
    );
  });

  test('each hour has its local hour', () => {
    const start = Date.UTC(2026, 2, 28, 23);
    const grid = makeGrid(start, start + 5 * HOUR_MS, 'Europe/Berlin');
    expect([...grid.hourOfDay]).toEqual([0, 1, 3, 4, 5]);
    const half = makeGrid(start, start + 2 * HOUR_MS, 'Asia/Kolkata');
    expect([...half.hourOfDay]).toEqual([4, 5]);
  });
});
