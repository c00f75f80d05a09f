import { expect, test } from 'vitest';
import { knownCost, unpricedText } from './cost-sum.ts';

test('what only calls without a price are in is unknown; what cost nothing is nothing', () => {
  expect(knownCost({ cost: 0, unpricedCalls: 1 })).toBeNull();
  expect(knownCost({ cost: 0, unpricedUsage: true })).toBeNull();
  expect([knownCost({ cost: 0 }), knownCost({ cost: 2, unpricedCalls: 1 })]).toEqual([0, 2]);
});

test('use without a price is told, and never as a call', () => {
  expect(unpricedText({})).toBeNull();
  expect(unpricedText({ unpricedCalls: 3 })).toBe('3 without a price');
  expect(unpricedText({ unpricedUsage: true })).toBe('some use without a price');
  expect(unpricedText({ unpricedCalls: 3, unpricedUsage: true })).toBe('3 and other use without a price');
});
