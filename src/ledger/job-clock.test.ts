import { expect, test } from 'vitest';
import type { Limit, CounterRef } from '../domain/limits/limit.ts';
import { pruneCountersJob, releaseUncertainJob } from '../jobs/limit-counters.ts';
import { pruneEntriesJob } from '../jobs/prune.ts';
import { entryOf } from '../../test/support/arbitrary-entry.ts';
import { openMemoryStore } from '../../test/support/memory-store/memory-store.ts';
import { newLimit, openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import { jobClock } from './job-clock.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';

const HOUR = Math.floor(TEST_NOW / HOUR_MS) * HOUR_MS;
const running = new AbortController().signal;

/** A wall clock that stands ahead of the right time, and the clock of jobs that goes by it. */
function clocks() {
  const time = { passed: 0, ahead: 0 };
  const clock = jobClock(
    () => TEST_NOW + time.passed + time.ahead,
    () => time.passed,
  );
  return { time, clock };
}

test('a jump forward of the wall clock counts after it lasted, a jump back immediately', () => {
  const { time, clock } = clocks();
  expect(clock()).toBe(TEST_NOW);
  time.ahead = 3 * DAY_MS;
  expect(clock()).toBe(TEST_NOW);
  time.passed = MINUTE_MS;
  expect(clock()).toBe(TEST_NOW + MINUTE_MS + 3 * DAY_MS);
  time.ahead = 0;
  expect(clock()).toBe(TEST_NOW + MINUTE_MS);
});

test('recent data is neither deleted nor released while the wall clock is briefly wrong', async () => {
  const { records } = await openTemporaryRecords();
  const store = openMemoryStore();
  const { time, clock } = clocks();
  const parts = {
    records,
    counters: store.counters,
    clock,
    raise: async () => {},
    change: <Result>(work: () => Promise<Result>) => work(),
  };
  const total = await records.limits.create(
    newLimit({ window: 'total', uncertain: { releaseAfterMs: DAY_MS } }),
    'owner',
  );
  const hourly = await records.limits.create(newLimit({ window: 'hour' }), 'owner');
  for (const { counter } of [total, hourly]) await records.limits.markBackfilled(counter);
  const touch = ({ counter, unit }: Limit, windowStart: number): CounterRef => ({
    counter,
    unit,
    windowStart,
    value: '',
  });
  const broken = { uncertainReason: 'reset', outcome: 'broken', cost: null, usage: null, usageSource: 'none' } as const;
  const at = { startedAt: TEST_NOW - 1, endedAt: TEST_NOW - 1, touched: [touch(total, 0), touch(hourly, HOUR)] };
  await store.entries.append({ journalId: 'j', mark: 1, entries: [entryOf('a', { ...broken, ...at })] });
  const before = await store.counters.list(0);
  const jobs = [releaseUncertainJob(parts), pruneCountersJob(parts), pruneEntriesJob(records, store, clock, 10)];
  clock();
  time.ahead = 400 * DAY_MS;
  for (const job of jobs) await job.run(running);
  expect(await store.counters.list(0)).toEqual(before);
  expect(await store.reports.entry('ws_default', 'a')).not.toBeNull();
});
