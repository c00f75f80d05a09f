import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../lib/log.ts';
import { startSchedule } from './schedule.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a poked job with a repeat time runs once more after it, however often it was poked', async () => {
  let runs = 0;
  const run = async (): Promise<void> => void (runs += 1);
  const schedule = startSchedule([{ name: 'a', everyMs: 10_000, repeatMs: 1_000, run }], silentLog);
  schedule.poke('a');
  await vi.advanceTimersByTimeAsync(500);
  schedule.poke('a');
  expect(runs).toBe(2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(runs).toBe(3);
  // Its regular turn is not repeated.
  await vi.advanceTimersByTimeAsync(7_000);
  expect(runs).toBe(4);
  await schedule.close();
});
