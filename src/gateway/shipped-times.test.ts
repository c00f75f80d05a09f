import { expect, test } from 'vitest';
import { ShippedTimes } from './shipped-times.ts';

test('returns the latest time whose ends are all shipped', () => {
  const times = new ShippedTimes();
  expect(times.note(1, 10, 5)).toBe(Number.NEGATIVE_INFINITY);
  expect(times.note(2, 20, 9)).toBe(Number.NEGATIVE_INFINITY);
  expect(times.note(3, 30, 20)).toBe(2);
  expect(times.note(4, 30, 30)).toBe(4);
  expect(times.note(5, 31, 30)).toBe(4);
});

test('a ledger that ships nothing for hours costs no memory, and is followed afterwards', () => {
  const times = new ShippedTimes();
  for (let second = 1; second <= 10_000; second += 1) times.note(second, second, 0);
  expect(times.note(10_001, 10_001, 500)).toBe(500);
  expect(times.note(10_002, 10_002, 10_001)).toBe(1_000);
  expect(times.note(10_003, 10_003, 10_003)).toBe(10_003);
});
