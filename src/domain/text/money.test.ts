import { describe, expect, it, test } from 'vitest';
import { exactDollars, formatCents, formatDollars, formatUsd, shortDollars, usdColumn } from './money.ts';

describe('formatUsd', () => {
  it.each([
    [0, '$0.00'],
    [1, '$0.000000001'],
    [1_234, '$0.0000012'],
    [5_000_000, '$0.005'],
    [47_750_000, '$0.0478'],
    [500_000_000, '$0.50'],
    [999_999_999, '$1.00'],
    [1_234_567_895_000, '$1,234.57'],
    [12_345_678_901_234_567_890n, '$12,345,678,901.23'],
  ])('shows %s nano-USD as %s', (nano, text) => {
    expect(formatUsd(nano)).toBe(text);
  });

  it.each([
    [4_997_504_000, '$4.99', '$5.00'],
    [5_000_000_000, '$5.00', '$5.00'],
    [1_999, '$0.0000019', '$0.000002'],
    [0, '$0.00', '$0.00'],
  ])('shows %s nano-USD rounded down as available, and up as needed', (nano, down, up) => {
    expect([formatUsd(nano, 'down'), formatUsd(nano, 'up')]).toEqual([down, up]);
  });
});

test('a negative amount keeps its sign before the dollar', () => {
  expect([formatUsd(-3_500_000_000n), formatDollars(-3.5), shortDollars(-12_345.6)]).toEqual([
    '-$3.50',
    '-$3.50',
    '-$12,346',
  ]);
});

test.each([
  [1_204_511.4, '$1,204,511'],
  [10_000, '$10,000'],
  [9_999.5, '$9,999.50'],
  [12.4, '$12.40'],
  [0.0231, '$0.0231'],
  [0.000_000_001, '$0.000000001'],
  [0, '$0.00'],
])('a screen shows %s dollars as %s', (usd, shown) => expect(shortDollars(usd)).toBe(shown));

test('an unknown amount is never shown as an amount', () => {
  expect([formatDollars(null), shortDollars(null), exactDollars(null), formatCents(null)]).toEqual([
    'unknown',
    'unknown',
    'The cost is unknown',
    '-',
  ]);
});

test('the exact amount has every digit of the ledger', () => {
  expect([exactDollars(1_204_511.123_456), exactDollars(12.4), exactDollars(-0.000_000_001)]).toEqual([
    '$1,204,511.123456',
    '$12.40',
    '-$0.000000001',
  ]);
});

test.each([
  [0, '$0.00'],
  [1, '<$0.01'],
  [9_999_999, '<$0.01'],
  [10_000_000, '$0.01'],
  [1_004_999_999, '$1.00'],
  [1_005_000_000, '$1.01'],
  [1_234_567_890_000_000, '$1,234,567.89'],
  [10n ** 20n, '$100,000,000,000.00'],
])('%s nano-USD in cents are %s', (nano, text) => expect(formatCents(nano)).toBe(text));

test('amounts in a column have the same decimals, and a small amount never reads as nothing', () => {
  expect([1_234.5, 0, -2, null].map(usdColumn([1_234.5, -2, null]))).toEqual(['$1,234.50', '$0.00', '-$2.00', '-']);
  expect([20, 0.5, 0.00001, -0.00001].map(usdColumn([20, 0.5]))).toEqual([
    '$20.0000',
    '$0.5000',
    '<$0.0001',
    '-<$0.0001',
  ]);
  // In binary 10.815 is a little less: a column rounds as all other texts do.
  expect(usdColumn([10.815])(10.815)).toBe(formatDollars(10.815));
});
