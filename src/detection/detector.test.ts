import { EMPTY_TOTALS } from '../domain/usage/usage-totals.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { Entry } from '../domain/usage/call.ts';
import { Detector } from './detector.ts';
import { runDetection, runReplay } from './run-detection.ts';
import { detectHere, type DetectionTask, replayHere } from './detection-task.ts';
import { createPackedSeries, setHour } from './packed-series.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import type { SeriesQuery, UsageQueries } from '../storage/usage-queries.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const USD = 1_000_000_000;
const NOW = Date.parse('2026-03-16T12:20:00.000Z');
const THIS_HOUR = NOW - (NOW % HOUR);

let testLedger: TestLedger;
let asked: SeriesQuery[];
let detector: Detector;
beforeEach(async () => {
  testLedger = await openTestLedger();
  testLedger.time.now = NOW;
  asked = [];
  const { records, store } = testLedger.ledger;
  const reports: UsageQueries = {
    ...store.reports,
    series(workspaceId, query) {
      asked.push(query);
      return store.reports.series(workspaceId, query);
    },
  };
  detector = new Detector({ reports, records });
});
afterEach(() => testLedger.close());

async function spend(hours: readonly number[], usd: number, more: Partial<Entry> = {}): Promise<void> {
  const entries = hours.map((hour) => {
    const cost = Math.round(usd * USD * (1 + 0.1 * Math.sin(hour / HOUR)));
    return testLedger.entry({
      startedAt: hour,
      keyId: 'key_a',
      cost,
      counted: { usd: cost, inputTokens: 1, outputTokens: 1 },
      ...more,
    });
  });
  for (let at = 0; at < entries.length; at += 500) await testLedger.ship(entries.slice(at, at + 500));
}

const hoursBefore = (days: number): number[] =>
  Array.from({ length: days * 24 }, (_, i) => THIS_HOUR - days * DAY + i * HOUR);
const look = () => detector.look(DEFAULT_WORKSPACE, testLedger.time.now);
const hoursAsked = (): number => new Set(asked.flatMap(({ buckets }) => buckets)).size;

test('the next run reads only the newest hours, and those of yesterday are read again a day later', async () => {
  await spend(hoursBefore(30), 1);
  await look();
  expect(hoursAsked()).toBeGreaterThan(60 * 24);
  asked = [];
  testLedger.time.now += 5 * 60_000;
  await look();
  expect(hoursAsked()).toBeLessThanOrEqual(6);
  asked = [];
  testLedger.time.now += DAY;
  await look();
  expect(hoursAsked()).toBeGreaterThan(60 * 24);
});

test('a key that appears later is included, with its earlier usage if it was among the largest', async () => {
  await spend(hoursBefore(30), 1);
  await look();
  await spend([THIS_HOUR - 20 * DAY, THIS_HOUR], 5, { keyId: 'key_new' });
  testLedger.time.now += 5 * 60_000;
  const { verdicts } = await look();
  expect(verdicts.find(({ name }) => name === 'key key_new')?.hours).toBe(20 * 24);
});

test('a key that was idle for seven weeks is judged by its own history, not as a new key', async () => {
  await spend(hoursBefore(55), 50);
  await spend([THIS_HOUR - 54 * DAY, THIS_HOUR - HOUR], 16, { keyId: 'key_idle' });
  const { findings } = await look();
  expect(findings).toMatchObject([{ name: 'key key_idle', kind: 'cost' }]);
});

test('only the largest of very many keys are watched, and usage without a name is not', async () => {
  for (let key = 0; key < 130; key += 1) await spend([THIS_HOUR - HOUR], key + 1, { keyId: `key_${key}` });
  const { verdicts } = await look();
  const keys = verdicts.filter(({ scope }) => scope.kind === 'key').map(({ scope }) => scope.id);
  expect(keys).toHaveLength(100);
  expect(keys).toContain('key_129');
  expect(keys).not.toContain('key_0');
  expect(verdicts.some(({ scope }) => scope.kind !== 'workspace' && scope.id === '')).toBe(false);
});

test('the most frequent tags are watched by value', async () => {
  const tags = { a: '1', b: '2', c: '3', d: '4', e: '5' };
  await spend(hoursBefore(2), 2, { tags });
  await spend([THIS_HOUR - HOUR], 1, { tags: { small: 'x' } });
  const { verdicts } = await look();
  const watched = verdicts.filter(({ scope }) => scope.kind === 'tag').map(({ name }) => name);
  expect(watched.toSorted()).toEqual(['a=1', 'b=2', 'c=3', 'd=4', 'e=5']);
});

test('a workspace does not see the spend of another', async () => {
  await spend(hoursBefore(5), 1);
  const other = await testLedger.ledger.records.workspaces.create({ name: 'other' }, 'owner');
  const { verdicts } = await detector.look(other.id, NOW);
  expect(verdicts).toMatchObject([{ name: 'the workspace', hours: 0, verdict: 'not_enough_history' }]);
});

test('concurrent requests get the same result; too many are refused', async () => {
  await spend(hoursBefore(5), 1);
  const looks = await Promise.allSettled(Array.from({ length: 25 }, look));
  const [refused, ...more] = looks.filter(({ status }) => status === 'rejected');
  expect(more).toHaveLength(3);
  expect(refused).toMatchObject({ reason: { type: 'unavailable' } });
  expect(new Set(looks.map((one) => JSON.stringify(one))).size).toBe(2);
  await look();
});

test('a separate thread returns the same result as this one', async () => {
  const since = THIS_HOUR - 40 * DAY;
  const series = Array.from({ length: 45 }, (_, index) => {
    const one = createPackedSeries({ kind: 'key', id: `key_${index}`, tag: '' }, 40 * 24);
    for (let hour = since; hour < THIS_HOUR; hour += HOUR) {
      const usd = index === 7 && hour === THIS_HOUR - HOUR ? 300 : 1 + 0.1 * Math.sin(hour / HOUR + index);
      const cost = BigInt(Math.round(usd * USD));
      setHour(one, since, hour, { ...EMPTY_TOTALS, calls: 10, cost });
    }
    return one;
  });
  const settings = { sensitivity: 'normal', minExcessNano: USD } as const;
  const order: DetectionTask = { series, since, now: THIS_HOUR, timeZone: 'UTC', settings };
  const there = await runDetection(order);
  expect(there.findings.length).toBeGreaterThan(0);
  expect(there).toEqual(detectHere(order));
  const replay = { from: THIS_HOUR - DAY, to: THIS_HOUR };
  expect(await runReplay(order, replay)).toEqual(replayHere(order, replay));
});
