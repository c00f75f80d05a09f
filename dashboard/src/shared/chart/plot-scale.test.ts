import fc from 'fast-check';
import { expect, test } from 'vitest';
import { logScale, plotScale } from './plot-scale.ts';

test('lines are at round amounts, and the highest is above every bar', () => {
  expect(plotScale([3.4, 1]).ticks).toEqual([0, 1, 2, 3, 4]);
  expect(plotScale([0.07]).ticks).toEqual([0, 0.02, 0.04, 0.06, 0.08]);
  expect(plotScale([12_000]).ticks).toEqual([0, 2_500, 5_000, 7_500, 10_000, 12_500]);
});

test('lines of a logarithmic axis are powers of ten, and small amounts are seen beside large ones', () => {
  const { ticks, height } = logScale([0, 0.002, 150]);
  expect(ticks).toEqual([0.001, 0.01, 0.1, 1, 10, 100, 1_000]);
  expect([height(0), height(1), height(1_000)]).toEqual([0, 0.5, 1]);
  expect(height(0.000_001)).toBeGreaterThan(0);
  expect(logScale([]).ticks).toEqual([0]);
});

test('a chart without usage has one line', () => expect(plotScale([0, 0]).ticks).toEqual([0]));

test('a larger amount is never lower, and every amount is inside the chart', () => {
  const amount = fc.integer({ min: 0, max: 1e15 }).map((nano) => nano / 1e9);
  const amounts = fc.array(amount, { minLength: 1 });
  fc.assert(
    fc.property(amounts, (all) => {
      const { height } = plotScale(all);
      const heights = all.toSorted((a, b) => a - b).map(height);
      expect(heights.every((one, index) => one >= (heights[index - 1] ?? 0) && one <= 1 + 1e-9)).toBe(true);
    }),
  );
});
