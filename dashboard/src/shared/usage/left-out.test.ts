import { expect, test } from 'vitest';
import { leftOutText } from './left-out.ts';

test('use without a price is told, and never as a call', () => {
  expect(leftOutText({})).toBeNull();
  expect(leftOutText({ unpricedCalls: 3 })).toBe('3 without a price');
  expect(leftOutText({ unpricedUse: true })).toBe('some use without a price');
  expect(leftOutText({ unpricedCalls: 3, unpricedUse: true })).toBe('3 and other use without a price');
});
