import { expect, test } from 'vitest';
import { exactUsd, formatUsd } from './money.ts';

test.each([
  [1_204_511.4, '$1,204,511'],
  [10_000, '$10,000'],
  [9_999.5, '$9,999.50'],
  [12.4, '$12.40'],
  [1, '$1.00'],
  [0.5, '$0.50'],
  [0.0231, '$0.0231'],
  [0.0000231, '$0.0000231'],
  [0.000_000_001, '$0.000000001'],
  [0, '$0.00'],
  [-3.5, '-$3.50'],
])('%s dollars are shown as %s', (usd, shown) => expect(formatUsd(usd)).toBe(shown));

test('an unknown amount is named and never shown as a number', () => {
  expect([formatUsd(null), exactUsd(null)]).toEqual(['Unknown', 'Unknown cost']);
});

test('the exact amount has every digit of the ledger', () => {
  expect(exactUsd(1_204_511.123_456_789)).toBe('$1,204,511.123456789');
  expect(exactUsd(12.4)).toBe('$12.40');
});
