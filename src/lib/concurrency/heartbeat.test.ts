import { expect, test } from 'vitest';
import { ThreadHeartbeat } from './heartbeat.ts';

test('silence is told once it is too long, and ends with the next sign of life', () => {
  let now = 5_000;
  const pulse = new ThreadHeartbeat(() => now, 60_000);
  now += 60_000;
  expect(pulse.silentSeconds()).toBeNull();
  now += 1_500;
  expect(pulse.silentSeconds()).toBe(61);
  pulse.beat();
  expect(pulse.silentSeconds()).toBeNull();
});
