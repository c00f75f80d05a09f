import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ThreadHeartbeat, waitForExit } from './worker-thread.ts';

test('a thread that ends by itself, or has ended already, is not a problem', async () => {
  const worker = new Worker('', { eval: true });
  const exited = once(worker, 'exit');
  expect(await waitForExit(worker, exited, 60_000)).toBe(true);
  expect(await waitForExit(worker, exited, 60_000)).toBe(true);
});

test('a thread that does not end is ended, and delays nothing', async () => {
  const worker = new Worker('setInterval(() => {}, 60_000)', { eval: true });
  const exited = once(worker, 'exit');
  expect(await waitForExit(worker, exited, 1)).toBe(false);
  await exited;
});

test('silence is reported once it is too long, and ends with the next message', () => {
  let now = 5_000;
  const pulse = new ThreadHeartbeat(() => now, 60_000);
  now += 60_000;
  expect(pulse.silentSeconds()).toBeNull();
  now += 1_500;
  expect(pulse.silentSeconds()).toBe(61);
  pulse.beat();
  expect(pulse.silentSeconds()).toBeNull();
});
