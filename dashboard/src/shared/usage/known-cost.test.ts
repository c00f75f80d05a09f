import { expect, test } from 'vitest';
import { knownCost } from './known-cost.ts';

test('what only calls without a price are in is unknown; what cost nothing is nothing', () => {
  expect(knownCost({ cost: 0, unpricedCalls: 1 })).toBeNull();
  expect(knownCost({ cost: 0, unpricedUse: true })).toBeNull();
  expect([knownCost({ cost: 0 }), knownCost({ cost: 2, unpricedCalls: 1 })]).toEqual([0, 2]);
});
