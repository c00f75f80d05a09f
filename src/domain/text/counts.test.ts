import { expect, test } from 'vitest';
import { callsText, countNoun, formatCount, shortCount } from './counts.ts';

test('thousands are separated by commas', () => {
  expect([999, 1_000, 1_234_567, -1_234, 2n ** 60n].map(formatCount)).toEqual([
    '999',
    '1,000',
    '1,234,567',
    '-1,234',
    '1,152,921,504,606,846,976',
  ]);
});

test('one thing is named in the singular', () => {
  expect([0, 1, 1_204].map((count) => countNoun(count, 'call'))).toEqual(['0 calls', '1 call', '1,204 calls']);
  expect([1, 2].map((count) => countNoun(count, 'entry', 'entries'))).toEqual(['1 entry', '2 entries']);
  expect([1, 1_230_000].map(callsText)).toEqual(['1 call', '1.23M calls']);
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
])('%i is shortened to %s', (count, text) => expect(shortCount(count, 1_000)).toBe(text));

test('a screen shortens counts only from 100,000 on', () => {
  expect([99_999, 123_456].map((count) => shortCount(count))).toEqual(['99,999', '123K']);
});
