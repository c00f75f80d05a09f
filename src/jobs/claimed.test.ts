import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import { claimedJob } from './claimed.ts';
import type { Job } from './schedule.ts';

const MINUTE = 60_000;
const signal = new AbortController().signal;

/** Jobs of two processes on one store, at a time that can be set. */
async function twoRunners(
  work: (runner: string) => Promise<void>,
): Promise<{ jobs: readonly [Job, Job]; time: { now: number } }> {
  const { records } = await openTemporaryRecords();
  const time = { now: TEST_NOW };
  const jobOf = (runner: string): Job =>
    claimedJob(
      { records, clock: () => time.now, runner },
      { name: 'work', everyMs: 5 * MINUTE, run: () => work(runner) },
    );
  return { jobs: [jobOf('one'), jobOf('two')], time };
}

test('a failed run is logged, and ends the turn for all processes', async () => {
  const ran: string[] = [];
  const { jobs, time } = await twoRunners(async (runner) => {
    ran.push(runner);
    throw new Error('broken');
  });
  await expect(jobs[0].run(signal)).rejects.toThrow('broken');
  await jobs[1].run(signal);
  expect(ran).toEqual(['one']);
  time.now += 5 * MINUTE;
  await expect(jobs[1].run(signal)).rejects.toThrow('broken');
  expect(ran).toEqual(['one', 'two']);
});

test('a working process keeps its turn, and a dead one loses it within a quarter of an hour', async () => {
  const ran: string[] = [];
  const forever = Promise.withResolvers<void>();
  const { jobs, time } = await twoRunners(async (runner) => {
    ran.push(runner);
    if (runner === 'one') await forever.promise;
  });
  const first = jobs[0].run(signal);
  await expect.poll(() => ran).toEqual(['one']);
  time.now += 10 * MINUTE;
  await jobs[1].run(signal);
  expect(ran).toEqual(['one']);
  time.now += 5 * MINUTE;
  await jobs[1].run(signal);
  expect(ran).toEqual(['one', 'two']);
  forever.resolve();
  await first;
});
