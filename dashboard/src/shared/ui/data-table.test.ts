import { expect, test } from 'vitest';
import { nextSort, sortRows } from './data-table.tsx';

const identity = (value: string | number | null): string | number | null => value;

test('unknown values are last in both directions', () => {
  expect(sortRows([2, null, 10, 1], identity, true)).toEqual([10, 2, 1, null]);
  expect(sortRows([2, null, 10, 1], identity, false)).toEqual([1, 2, 10, null]);
});

test('numbers in names sort by value: 9 before 10', () => {
  expect(sortRows(['gpt-10', 'gpt-9'], identity, false)).toEqual(['gpt-9', 'gpt-10']);
});

test('the same column reverses, and another one starts descending', () => {
  const first = nextSort(null, 'cost');
  expect(first).toEqual({ column: 'cost', descending: true });
  expect(nextSort(first, 'cost').descending).toBe(false);
  expect(nextSort(nextSort(first, 'cost'), 'calls')).toEqual({ column: 'calls', descending: true });
});
