import { expect, test } from 'vitest';
import { projectWindow } from './projection.ts';

const DAY = { windowStart: 1_000_000, windowEnd: 1_100_000 };

test.each([
  ['half of the window', 1_050_000, 4_000, 8_000],
  ['all of it', 1_100_000, 4_000, 4_000],
  ['exactly five per cent', 1_005_000, 100, 2_000],
  ['a third, rounded', 1_030_000, 1_000, 3_333],
  ['nothing counted', 1_050_000, 0, 0],
  ['a sum beyond the exact numbers', 1_050_000, 2n ** 60n, 2 ** 61],
  ['less than five per cent', 1_004_999, 100, null],
  ['a window that has not begun', 999_999, 100, null],
  ['a window that is over', 1_100_001, 100, null],
])('a window goes on as it went so far: %s', (_, at, counted, expected) => {
  expect(projectWindow({ counted, ...DAY }, at)).toBe(expected);
});

test('a window that never ends has no projection', () => {
  expect(projectWindow({ counted: 5, windowStart: 0, windowEnd: null }, 1_000)).toBeNull();
});
