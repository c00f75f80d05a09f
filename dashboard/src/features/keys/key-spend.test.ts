import { expect, test } from 'vitest';
import { sumSpendByKey } from './key-spend.ts';

const point = (value: string, cost: number): { value: string; cost: number; calls: number } => ({
  value,
  cost,
  calls: 1,
});

test('months are added up, and a key without calls has no spend', () => {
  const spend = sumSpendByKey([point('key_1', 2), point('key_2', 1), point('key_1', 3)]);
  expect(spend('key_1')).toEqual({ cost: 5, calls: 2, unpricedCalls: 0 });
  expect(spend('key_3')).toEqual({ cost: 0, calls: 0 });
});

test('calls without a price are counted separately from the cost', () => {
  const unpriced = { ...point('key_1', 0), unpricedCalls: 1 };
  expect(sumSpendByKey([unpriced, point('key_1', 2), unpriced])('key_1')).toEqual({
    cost: 2,
    calls: 3,
    unpricedCalls: 2,
  });
});

test('the spend of a key within "(other)" is unknown, never 0', () => {
  expect(sumSpendByKey([point('key_1', 2), point('(other)', 9)])('key_3')).toBeNull();
  expect(sumSpendByKey(null)('key_1')).toBeNull();
});
