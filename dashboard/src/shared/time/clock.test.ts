import { expect, test } from 'vitest';
import { catchUp } from './clock.ts';

test('an instant that is newer than the last tick of the clock is now, a later one is in the future', () => {
  expect(catchUp(1_000, 900, 15_000)).toBe(1_000);
  expect(catchUp(1_000, 16_000, 15_000)).toBe(16_000);
  expect(catchUp(1_000, 16_001, 15_000)).toBe(1_000);
});
