import { expect, test } from 'vitest';
import { amountText, columnSum } from './column-rows.ts';
import type { ChartLayer } from './stack.ts';

function layer(value: string, amounts: readonly number[], more: Partial<ChartLayer> = {}): ChartLayer {
  const leftOutAt = amounts.map(() => null);
  return { value, amounts, total: 0, leftOut: null, leftOutAt, previous: null, ...more };
}

test('a column lists its values, largest first, with shares that add up', () => {
  const { total, previous, rows } = columnSum([layer('a', [1, 9]), layer('b', [3, 0]), layer('c', [0, 5])], 0);
  expect([total, previous]).toEqual([4, null]);
  expect(rows.map(({ layer: index, amount, share }) => [index, amount, share])).toEqual([
    [1, 3, 0.75],
    [0, 1, 0.25],
  ]);
});

test('a value that is gone keeps its row in a comparison', () => {
  const gone = layer('gone', [0], { previous: { amounts: [2], total: 2 } });
  const { previous, rows } = columnSum([layer('a', [1], { previous: { amounts: [4], total: 4 } }), gone], 0);
  expect(previous).toBe(6);
  expect(rows.map((row) => [row.amount, row.previous])).toEqual([
    [1, 4],
    [0, 2],
  ]);
});

test('usage without a price has a row and is never shown as free', () => {
  const [row] = columnSum([layer('new', [0], { leftOutAt: ['2 calls without a price'] })], 0).rows;
  expect(amountText(row?.amount ?? 1, row?.leftOut ?? null, String)).toBe('Unknown, 2 calls without a price');
  expect(amountText(3, '2 calls without a price', String)).toBe('3, 2 calls without a price');
});
