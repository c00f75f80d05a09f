import { expect, test } from 'vitest';
import { sleeplessUptime } from './clock.ts';

test('an uptime for leases moves while the machine sleeps, and ignores small and backward steps of the wall clock', () => {
  const time = { uptime: 1_000, wall: 50_000 };
  const uptime = sleeplessUptime(
    () => time.uptime,
    () => time.wall,
  );
  const pass = (uptimeMs: number, wallMs: number): number => {
    time.uptime += uptimeMs;
    time.wall += wallMs;
    return uptime();
  };
  expect(pass(10, 10)).toBe(1_010);
  expect(pass(10, 900)).toBe(1_020);
  expect(pass(10, -60_000)).toBe(1_030);
  // Asleep for an hour.
  expect(pass(10, 3_600_010)).toBe(3_601_040);
  expect(pass(10, 10)).toBe(3_601_050);
});
