import { expect, test } from 'vitest';
import { openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import { SimulatedTime } from '../../test/simulation/time.ts';
import type { RecordDb } from '../storage/records/tables.ts';
import { claimedJob } from './claimed-job.ts';
import type { Job } from './schedule.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const signal = new AbortController().signal;

type Work = (name: string, signal: AbortSignal) => Promise<void>;

/** The same job in two processes on one database, each with its own connections and its own timers. */
async function twoProcesses(work: Work, turns?: Parameters<typeof claimedJob>[2]) {
  const { records: first, db, dataDir } = await openTemporaryRecords();
  const { records: second } = await openTemporaryRecords(dataDir);
  const timers = { one: new SimulatedTime(TEST_NOW), two: new SimulatedTime(TEST_NOW) };
  const ran: string[] = [];
  const jobOf = (name: 'one' | 'two', records: typeof first): Job => {
    const run = async (stop: AbortSignal): Promise<void> => {
      ran.push(name);
      await work(name, stop);
    };
    const parts = { records, clock: () => timers[name].wall, runner: `${name}/run`, scheduler: timers[name] };
    return claimedJob(parts, { name: 'work', everyMs: 5 * MINUTE, run }, turns);
  };
  const pass = (ms: number): void => [timers.one, timers.two].forEach((time) => time.pass(ms));
  return { one: jobOf('one', first), two: jobOf('two', second), ran, pass, timers, db };
}

async function claimedUntil(db: RecordDb): Promise<number> {
  return (await db.selectFrom('jobs').select('claimed_until').executeTakeFirstOrThrow()).claimed_until;
}

test('a failed run is logged, and ends the turn for all processes', async () => {
  const { one, two, ran, pass } = await twoProcesses(async () => {
    throw new Error('broken');
  });
  await expect(one.run(signal)).rejects.toThrow('broken');
  await two.run(signal);
  expect(ran).toEqual(['one']);
  pass(5 * MINUTE);
  await expect(two.run(signal)).rejects.toThrow('broken');
  expect(ran).toEqual(['one', 'two']);
});

test('of processes whose turn comes at the same moment, one runs the job', async () => {
  const { one, two, ran } = await twoProcesses(async () => {});
  await Promise.all([one.run(signal), two.run(signal), one.run(signal), two.run(signal)]);
  expect(ran).toHaveLength(1);
});

test('a process that works for long keeps its claim', async () => {
  const work = Promise.withResolvers<void>();
  const { one, two, ran, pass, timers, db } = await twoProcesses(() => work.promise);
  const running = one.run(signal);
  await expect.poll(() => ran).toEqual(['one']);
  for (let turn = 0; turn < 30; turn += 1) {
    pass(30 * SECOND);
    await expect.poll(() => claimedUntil(db)).toBe(timers.one.wall + 2 * MINUTE);
    await two.run(signal);
  }
  work.resolve();
  await running;
  expect(ran).toEqual(['one']);
  await two.run(signal);
  expect(ran).toEqual(['one', 'two']);
});

test('a process that died holds a job for two minutes at most', async () => {
  const { one, two, ran, pass, timers } = await twoProcesses((name) => (name === 'one' ? DEAD : Promise.resolve()), {
    apartMs: 0,
  });
  void one.run(signal);
  await expect.poll(() => ran).toEqual(['one']);
  timers.one.forget();
  pass(2 * MINUTE - 1);
  await two.run(signal);
  expect(ran).toEqual(['one']);
  pass(1);
  await two.run(signal);
  expect(ran).toEqual(['one', 'two']);
});

test('a process that was paused while another took over its job stops', async () => {
  const { one, two, ran, pass, timers, db } = await twoProcesses(
    async (name, stop) => {
      if (name === 'one') await new Promise((resolve) => stop.addEventListener('abort', resolve));
    },
    { apartMs: 0 },
  );
  const paused = one.run(signal).catch((error: unknown) => String(error));
  await expect.poll(() => ran).toEqual(['one']);
  timers.two.pass(3 * MINUTE);
  await two.run(signal);
  // Its renewal finds the claim of the other.
  pass(30 * SECOND);
  expect(await paused).toContain('taken over');
  expect(ran).toEqual(['one', 'two']);
  expect(await claimedUntil(db)).toBe(0);
});

test('a job that was poked while another process ran it runs after that', async () => {
  const work = Promise.withResolvers<void>();
  const { one, two, ran, timers } = await twoProcesses((name) => (name === 'one' ? work.promise : Promise.resolve()), {
    apartMs: 0,
    waits: true,
  });
  const running = one.run(signal);
  await expect.poll(() => ran).toEqual(['one']);
  const poked = two.run(signal);
  work.resolve();
  await running;
  await expect.poll(() => (timers.two.pass(SECOND), ran)).toEqual(['one', 'two']);
  await poked;
});

test('a job that waits for another process stops waiting when the service closes', async () => {
  const { one, two, ran } = await twoProcesses(() => DEAD, { apartMs: 0, waits: true });
  void one.run(signal);
  await expect.poll(() => ran).toEqual(['one']);
  const closing = new AbortController();
  const poked = two.run(closing.signal);
  closing.abort();
  await poked;
  expect(ran).toEqual(['one']);
});

const DEAD = new Promise<void>(() => {});

test('processes whose clocks differ agree on when a turn is due and when a claim ends', async () => {
  const { records } = await openTemporaryRecords();
  const shared = new SimulatedTime(TEST_NOW);
  const ran: string[] = [];
  const work = Promise.withResolvers<void>();
  const [slow, fast] = [-60 * MINUTE, 60 * MINUTE].map((ahead) => {
    const parts = { records, clock: () => shared.wall + ahead, runner: `${ahead}/run`, scheduler: shared };
    const run = async (): Promise<void> => {
      ran.push(`${ahead}`);
      await work.promise;
    };
    return claimedJob({ ...parts, claimTime: async () => shared.wall }, { name: 'work', everyMs: 5 * MINUTE, run });
  });
  const running = slow?.run(signal);
  await expect.poll(() => ran).toHaveLength(1);
  await fast?.run(signal);
  expect(ran).toHaveLength(1);
  work.resolve();
  await running;
  await fast?.run(signal);
  expect(ran).toHaveLength(1);
  shared.pass(5 * MINUTE);
  await fast?.run(signal);
  expect(ran).toHaveLength(2);
});
