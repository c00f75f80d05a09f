import { expect, test } from 'vitest';
import { knownCost, unpricedText } from './cost-sum.ts';

test('a sum of calls without a price is unknown, and a sum of free calls is 0', () => {
  expect(knownCost({ cost: 0, unpricedCalls: 1 })).toBeNull();
  expect(knownCost({ cost: 0, unpricedUsage: true })).toBeNull();
  expect([knownCost({ cost: 0 }), knownCost({ cost: 2, unpricedCalls: 1 })]).toEqual([0, 2]);
});

test('usage without a price is mentioned, and never as a call', () => {
  expect(unpricedText({})).toBeNull();
  expect(unpricedText({ unpricedCalls: 3 })).toBe('3 calls without a price');
  expect(unpricedText({ unpricedUsage: true })).toBe('some usage without a price');
  expect(unpricedText({ unpricedCalls: 3, unpricedUsage: true })).toBe('3 calls and other usage without a price');
});
