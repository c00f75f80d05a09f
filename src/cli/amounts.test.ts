import { expect, test } from 'vitest';
import { dollars, roughly, shortCount, shortModel, thousands } from './amounts.ts';

test.each([
  [null, '-'],
  [0, '$0.00'],
  [1, '<$0.01'],
  [9_999_999, '<$0.01'],
  [10_000_000, '$0.01'],
  [1_004_999_999, '$1.00'],
  [1_005_000_000, '$1.01'],
  [1_234_567_890_000_000, '$1,234,567.89'],
  [10n ** 20n, '$100,000,000,000.00'],
])('%s nano-USD are shown as %s', (nano, text) => {
  expect(dollars(nano)).toBe(text);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1_000, '1.00K'],
  [9_994, '9.99K'],
  [9_995, '10.0K'],
  [99_949, '99.9K'],
  [99_950, '100K'],
  [999_499, '999K'],
  [999_500, '1.00M'],
  [12_345_678_901, '12.3B'],
  [1_234_567_890_123_456, '1235T'],
])('%i is %s for short', (count, text) => {
  expect(shortCount(count)).toBe(text);
});

test('thousands are set apart', () => {
  expect([999, 1_000, 1_234_567].map(thousands)).toEqual(['999', '1,000', '1,234,567']);
});

test.each([
  ['claude-opus-4-5-20251101', 'opus-4-5'],
  ['claude-3-5-sonnet-20241022', '3-5-sonnet'],
  ['gpt-5.1-codex', 'gpt-5.1-codex'],
  ['gpt-4o-2024-08-06', 'gpt-4o'],
])('%s is %s for short', (model, text) => {
  expect(shortModel(model)).toBe(text);
});

test.each([
  [0, '0m'],
  [59_999, '0m'],
  [5 * 60_000, '5m'],
  [2 * 3_600_000 + 14 * 60_000, '2h 14m'],
  [2 * 3_600_000, '2h'],
  [28 * 3_600_000 + 1, '1d 4h'],
  [48 * 3_600_000, '2d'],
])('%i ms are roughly %s', (ms, text) => {
  expect(roughly(ms)).toBe(text);
});
