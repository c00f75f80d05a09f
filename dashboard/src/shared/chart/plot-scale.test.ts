import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plotScale } from './plot-scale.ts';

test('lines are at round amounts, and the highest is above every bar', () => {
  expect(plotScale([3.4, 1]).ticks).toEqual([0, 1, 2, 3, 4]);
  expect(plotScale([0.07]).ticks).toEqual([0, 0.02, 0.04, 0.06, 0.08]);
  expect(plotScale([12_000]).ticks).toEqual([0, 2_500, 5_000, 7_500, 10_000, 12_500]);
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
