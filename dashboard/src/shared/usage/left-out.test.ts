import { expect, test } from 'vitest';
import { unpricedText } from './left-out.ts';

test('use without a price is told, and never as a call', () => {
  expect(unpricedText({})).toBeNull();
  expect(unpricedText({ unpricedCalls: 3 })).toBe('3 without a price');
  expect(unpricedText({ unpricedUse: true })).toBe('some use without a price');
  expect(unpricedText({ unpricedCalls: 3, unpricedUse: true })).toBe('3 and other use without a price');
});
