import { expect, test } from 'vitest';
import { describeAgo, describeDuration, describeTimeLeft } from './durations.ts';

test.each([
  [87, '87 ms'],
  [1_240, '1.24 s'],
  [12_340, '12.3 s'],
  [200_000, '3 min 20 s'],
  [180_000, '3 min'],
  [2 * 3_600_000 + 14 * 60_000, '2 h 14 min'],
  [2 * 3_600_000, '2 h'],
  [28 * 3_600_000 + 1, '1 d 4 h'],
  [48 * 3_600_000, '2 d'],
])('%i ms are %s', (ms, text) => expect(describeDuration(ms)).toBe(text));

test('a remaining time has no seconds', () => {
  expect([0, 59_999, 5 * 60_000 + 1, 28 * 3_600_000].map(describeTimeLeft)).toEqual([
    '0 min',
    '0 min',
    '5 min',
    '1 d 4 h',
  ]);
});

test('an instant is described relative to now', () => {
  expect([-180_000, 7_200_000, -1_000].map((ms) => describeAgo(1e12 + ms, 1e12))).toEqual([
    '3 minutes ago',
    'in 2 hours',
    '1 second ago',
  ]);
});
