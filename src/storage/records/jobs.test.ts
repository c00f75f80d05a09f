import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import type { JobClaim } from '../current-claims.ts';
import type { JobRecords } from './jobs.ts';
import { newRunnerId } from './runner.ts';

const NODE_1 = 'c0ffee00-0000-4000-8000-000000000001';
const NODE_2 = 'c0ffee00-0000-4000-8000-000000000002';
const MINUTE = 60_000;

async function claim(jobs: JobRecords, runner: string, now = TEST_NOW): Promise<JobClaim | null> {
  return await jobs.claim({ name: 'work', runner, now, until: now + MINUTE, dueBefore: now + 1 });
}

async function claimed(...args: Parameters<typeof claim>): Promise<JobClaim> {
  const found = await claim(...args);
  if (!found) throw new Error('The job is not available');
  return found;
}

test('a claim that was replaced can be neither renewed nor ended', async () => {
  const { jobs } = (await openTemporaryRecords()).records;
  const old = await claimed(jobs, 'one');
  const current = await claimed(jobs, 'two', TEST_NOW + MINUTE);
  expect(await jobs.renew(old, TEST_NOW + 5 * MINUTE)).toBe(false);
  await jobs.done(old);
  await jobs.release(old);
  expect(await claim(jobs, 'three', TEST_NOW + MINUTE + 1)).toBeNull();
  expect(await jobs.renew(current, TEST_NOW + 2 * MINUTE)).toBe(true);
});

test('a claim of the same process on the same job replaces its earlier one', async () => {
  const { jobs } = (await openTemporaryRecords()).records;
  const old = await claimed(jobs, 'one');
  await claimed(jobs, 'one', TEST_NOW + MINUTE);
  expect(await jobs.renew(old, TEST_NOW + 5 * MINUTE)).toBe(false);
});

test('a node that starts ends the claims of its earlier runs, and no others', async () => {
  const { records, time } = await openTemporaryRecords();
  const { jobs, deliveries } = records;
  const clock = (): number => time.now;
  const runner = newRunnerId(NODE_1, clock);
  await jobs.claim({ name: 'mine', runner, now: TEST_NOW, until: TEST_NOW + MINUTE, dueBefore: TEST_NOW });
  await claimed(jobs, newRunnerId(NODE_2, clock));
  await jobs.free(NODE_1);
  await deliveries.free(NODE_1);
  expect(await claim(jobs, runner)).toBeNull();
  const again = { name: 'mine', runner, now: TEST_NOW + 1, until: TEST_NOW + MINUTE, dueBefore: TEST_NOW + 2 };
  expect(await jobs.claim(again)).not.toBeNull();
  await jobs.free(null);
  expect(await claim(jobs, runner, TEST_NOW + 1)).not.toBeNull();
});
