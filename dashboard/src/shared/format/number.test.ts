import { expect, test } from 'vitest';
import { callsText, formatChange, formatCount, formatShare } from './number.ts';

test.each([
  [0, '0'],
  [99_999, '99,999'],
  [1_234_567, '1.2M'],
])('%s is shown as %s', (count, shown) => expect(formatCount(count)).toBe(shown));

test('one call is told as one', () => {
  expect([0, 1, 1_204, 1_200_000].map(callsText)).toEqual(['0 calls', '1 call', '1,204 calls', '1.2M calls']);
});

test('a share is never rounded to nothing, and never to all of it unsaid', () => {
  expect([0, 0.0004, 0.042, 0.38, 1].map(formatShare)).toEqual(['0%', '<0.1%', '4.2%', '38%', '100%']);
});

test('a change says by how much, and nothing where there was nothing before', () => {
  expect([formatChange(112, 100), formatChange(96, 100), formatChange(310, 100), formatChange(5, 0)]).toEqual([
    '+12%',
    '-4%',
    '3.1×',
    null,
  ]);
});
