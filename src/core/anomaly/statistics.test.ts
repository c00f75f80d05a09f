import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { betaBinomialTail, logGamma } from './beta-binomial.ts';
import { calibrate, recurrentOf, thresholdFor } from './calibrate.ts';
import { dayStart, HOUR_MS, makeGrid } from './grid.ts';
import { median, medianSlope, quantile, sorted, upperSpread } from './robust.ts';

describe('order statistics', () => {
  test('a third of wild values moves neither centre nor slope far', () => {
    const line = Array.from({ length: 30 }, (_, i) => (i % 4 === 0 ? 1_000 : i));
    expect(medianSlope(line)).toBeCloseTo(1, 0);
    expect(median([1, 2, 3, 1e9])).toBe(2.5);
    expect(quantile(sorted([]), 0.5)).toBe(0);
    expect(upperSpread(sorted([0, 0, 0, 0, 0, 0, 0, 0, 10, 10]))).toBeGreaterThan(1);
  });
});

describe('the beta-binomial tail', () => {
  test('is what adding up every case gives', () => {
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

describe('calibration', () => {
  const quiet = Array.from({ length: 28 }, (_, day) => 2 + ((day * 7) % 10) / 10);

  test('one past incident of several days leaves the threshold where it was', () => {
    const hurt = quiet.map((score, day) => (day >= 10 && day < 13 ? 200 : score));
    const [before, after] = [quiet, hurt].map((days) => thresholdFor(calibrate(days), 1e-3, 5));
    expect(after).toBeLessThan(2 * (before ?? 0));
  });

  test('what recurs on days that are apart is usual', () => {
    const bursts = quiet.map((score, day) => (day % 6 === 0 ? 60 : score));
    expect(recurrentOf(bursts)).toBe(60);
    expect(thresholdFor(calibrate(bursts), 1e-3, 5)).toBeGreaterThan(60);
  });

  test('a rarer day takes a higher score', () => {
    const calibration = calibrate(quiet);
    expect(thresholdFor(calibration, 1e-4, 50)).toBeGreaterThan(thresholdFor(calibration, 1e-2, 50));
  });
});

describe('the grid', () => {
  test.each([
    ['Europe/Berlin', Date.UTC(2026, 2, 28), [24, 23, 24]],
    ['Europe/Berlin', Date.UTC(2026, 9, 24), [24, 25, 24]],
    ['UTC', Date.UTC(2026, 2, 28), [24, 24, 24]],
  ])('in %s, days have the hours that they have there', (zone, start, lengths) => {
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
