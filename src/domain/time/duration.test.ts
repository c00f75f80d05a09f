import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test.each([
  ['90s', 90_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  [' 7d ', 604_800_000],
  ['366d', 31_622_400_000],
])('%j is a duration', (text, ms) => {
  expect(parseDuration(text, 'for')).toBe(ms);
});

test.each(['', '2', 'h', '0h', '-2h', '1.5h', '2w', '2h30m', '367d', '999999999d', '2 hours'])(
  '%j is not a duration, and the error says what is',
  (text) => {
    expect(() => parseDuration(text, 'for')).toThrow(/for .*not a duration; write for example 90s, 15m, 2h or 7d/);
  },
);

test('a formatted duration is read as the same duration', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 86_400 }), (seconds) => {
      expect(parseDuration(formatDuration(seconds * 1_000), 'for')).toBe(seconds * 1_000);
    }),
  );
  expect(['2h', '90m', '7d', '36h', '61s'].map((text) => formatDuration(parseDuration(text, 'for')))).toEqual([
    '2h',
    '90m',
    '7d',
    '36h',
    '61s',
  ]);
});
