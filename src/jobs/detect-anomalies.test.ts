import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { Entry } from '../domain/usage/call.ts';
import { Detector } from '../detection/detector.ts';
import { silentLog } from '../lib/log.ts';
import { detectAnomaliesJob } from './detect-anomalies.ts';
import type { Job } from './schedule.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A Monday, 12:20 UTC. */
const NOW = Date.parse('2026-03-16T12:20:00.000Z');
const USD = 1_000_000_000;
const LIST = { limit: 100, unreadOnly: false };
const SPIKES = ['COST_SPIKE'] as const;

let testLedger: TestLedger;
let entries: Entry[];
beforeEach(async () => {
  testLedger = await openTestLedger();
  testLedger.time.now = NOW;
  entries = [];
});
afterEach(() => testLedger.close());

/** One call that stands for what a key spent in an hour. */
function spend(hour: number, usd: number, more: Partial<Entry> = {}): void {
  const cost = Math.round(usd * USD);
  const counted = { usd: cost, inputTokens: 1_000, outputTokens: 500 };
  entries.push(testLedger.entry({ startedAt: hour + 60_000, keyId: 'key_a', ...more, cost, counted }));
}

async function ship(): Promise<void> {
  for (let at = 0; at < entries.length; at += 500) await testLedger.ship(entries.slice(at, at + 500));
  entries = [];
}

/** Five weeks of two keys that spend about two dollars an hour each, the same every day. */
async function ordinaryWeeks(): Promise<void> {
  for (let hour = NOW - (NOW % HOUR) - 35 * DAY; hour < NOW; hour += HOUR) ordinaryHour(hour);
  await ship();
}

function ordinaryHour(hour: number): void {
  for (const [index, keyId] of ['key_a', 'key_b'].entries()) {
    const wobble = 1 + 0.1 * Math.sin((hour / HOUR) * 12.9898 + index * 78.233);
    spend(hour, (1.5 + Math.sin((hour / DAY) * 2 * Math.PI)) * wobble, { keyId });
  }
}

const raised: StoredAlert[] = [];

function jobOf(runner: string): Job {
  raised.length = 0;
  const { records, store } = testLedger.ledger;
  const detector = new Detector({ reports: store.reports, records });
  return detectAnomaliesJob({
    detector,
    records,
    clock: () => testLedger.time.now,
    log: silentLog,
    runner,
    onRaised: (alerts) => raised.push(...alerts),
  });
}

const run = (job: Job): Promise<void> => job.run(new AbortController().signal);
const spikes = async (): Promise<StoredAlert[]> =>
  (await testLedger.ledger.records.alerts.list(DEFAULT_WORKSPACE, LIST)).filter(({ type }) => type === 'COST_SPIKE');

test('ordinary weeks raise no alert; a key that spends tenfold raises one that says so', async () => {
  await ordinaryWeeks();
  const job = jobOf('one');
  await run(job);
  expect(await spikes()).toEqual([]);
  testLedger.time.now += 5 * 60_000;
  spend(NOW - (NOW % HOUR), 60, { keyId: 'key_b', model: 'claude-opus-4-5' });
  await ship();
  await run(job);
  const [alert, ...more] = await spikes();
  expect(more).toEqual([]);
  expect(alert).toMatchObject({ type: 'COST_SPIKE', resolvedAt: null, value: expect.any(Number) });
  expect(alert?.value).toBeGreaterThan(50);
  expect(alert?.value).toBeGreaterThan(alert?.threshold ?? Infinity);
  expect(alert?.message).toMatch(/\$\d/);
  expect(JSON.stringify(alert?.evidence)).toContain('key_b');
  expect(alert?.evidence).toMatchObject({ unit: 'usd', kind: 'cost' });
  expect(raised.map(({ id }) => id)).toEqual([alert?.id]);
});

test('an episode is one alert in any number of runs, and is resolved when it is over', async () => {
  await ordinaryWeeks();
  spend(NOW - (NOW % HOUR), 60);
  await ship();
  const job = jobOf('one');
  for (let turn = 0; turn < 5; turn += 1) {
    await run(job);
    testLedger.time.now += 5 * 60_000;
  }
  expect(await spikes()).toHaveLength(1);
  for (let hour = 1; hour <= 48; hour += 1) {
    testLedger.time.now = NOW + hour * HOUR;
    ordinaryHour(testLedger.time.now - (testLedger.time.now % HOUR));
    await ship();
    await run(job);
  }
  expect(
    (await testLedger.ledger.records.alerts.open(DEFAULT_WORKSPACE, SPIKES)).map(({ message }) => message),
  ).toEqual([]);
  expect((await spikes())[0]?.resolvedAt).not.toBeNull();
});

test('an episode that becomes several times worse is alerted again, and both alerts end with it', async () => {
  await ordinaryWeeks();
  spend(NOW - (NOW % HOUR), 30);
  await ship();
  const job = jobOf('one');
  await run(job);
  testLedger.time.now += 5 * 60_000;
  spend(NOW - (NOW % HOUR), 400);
  await ship();
  await run(job);
  await run(job);
  expect((await spikes()).map(({ title }) => title.startsWith('Worse: '))).toEqual([true, false]);
  expect(raised).toHaveLength(2);
});

test('of three processes on one store, one detects at a time, and an episode is alerted once', async () => {
  await ordinaryWeeks();
  spend(NOW - (NOW % HOUR), 60);
  await ship();
  const jobs = ['one', 'two', 'three'].map(jobOf);
  for (let turn = 0; turn < 3; turn += 1) {
    await Promise.all(jobs.map(run));
    testLedger.time.now += 5 * 60_000;
  }
  expect(await spikes()).toHaveLength(1);
  expect(raised).toHaveLength(1);
});

test('a turn that another process just had is not repeated; a due turn is taken', async () => {
  const looked: string[] = [];
  const { records } = testLedger.ledger;
  const jobs = ['one', 'two', 'three'].map((runner) =>
    detectAnomaliesJob({
      detector: {
        async look() {
          looked.push(runner);
          await setImmediate();
          return { hour: 0, findings: [], verdicts: [] };
        },
      },
      records,
      clock: () => testLedger.time.now,
      log: silentLog,
      runner,
      onRaised: () => undefined,
    }),
  );
  await Promise.all(jobs.map(run));
  testLedger.time.now += 60_000;
  await Promise.all(jobs.map(run));
  expect(looked).toHaveLength(1);
  testLedger.time.now += 4 * 60_000;
  await Promise.all(jobs.map(run));
  expect(looked).toHaveLength(2);
});

test('a failure in one workspace does not stop the others', async () => {
  const { records } = testLedger.ledger;
  const other = await records.workspaces.create({ name: 'other' }, 'owner');
  const looked: string[] = [];
  const job = detectAnomaliesJob({
    detector: {
      async look(workspaceId) {
        looked.push(workspaceId);
        if (workspaceId === DEFAULT_WORKSPACE) throw new Error('broken');
        return { hour: 0, findings: [], verdicts: [] };
      },
    },
    records,
    clock: () => testLedger.time.now,
    log: silentLog,
    runner: 'one',
    onRaised: () => undefined,
  });
  await run(job);
  expect(looked.toSorted()).toEqual([DEFAULT_WORKSPACE, other.id].toSorted());
});

test('a muted episode raises no alert until the mute ends, if it still lasts then', async () => {
  await ordinaryWeeks();
  spend(NOW - (NOW % HOUR), 60);
  await ship();
  const { mutes } = testLedger.ledger.records;
  const until = NOW + 10 * 60_000;
  const mute = { workspaceId: DEFAULT_WORKSPACE, type: 'COST_SPIKE', scope: {}, until, reason: 'a load test' } as const;
  await mutes.create(mute, 'owner');
  const job = jobOf('one');
  await run(job);
  expect(await spikes()).toEqual([]);
  testLedger.time.now = until;
  await run(job);
  expect(await spikes()).toHaveLength(1);
});
