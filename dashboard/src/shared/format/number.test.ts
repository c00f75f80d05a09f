import { expect, test } from 'vitest';
import { callsText, formatChange, formatCount, formatShare } from './number.ts';

test.each([
  [0, '0'],
  [99_999, '99,999'],
  [1_234_567, '1.2M'],
])('%s is shown as %s', (count, shown) => expect(formatCount(count)).toBe(shown));

test('1 call is singular', () => {
  expect([0, 1, 1_204, 1_200_000].map(callsText)).toEqual(['0 calls', '1 call', '1,204 calls', '1.2M calls']);
});

test('a small share is never rounded to 0%', () => {
  expect([0, 0.0004, 0.042, 0.38, 1].map(formatShare)).toEqual(['0%', '<0.1%', '4.2%', '38%', '100%']);
});

test('a change is a percentage or a multiple, and null without a previous amount', () => {
  expect([formatChange(112, 100), formatChange(96, 100), formatChange(310, 100), formatChange(5, 0)]).toEqual([
    '+12%',
    '-4%',
    '3.1×',
    null,
  ]);
});
