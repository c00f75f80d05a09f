import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AnomalyReportShape, BacktestShape, MuteShape } from '../contract/anomalies.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const USD = 1_000_000_000;

let testLedger: TestLedger;
let token: string;
let keyId: string;
let thisHour: number;

const report = (): Promise<AnomalyReportShape> => testLedger.json('/api/mcp/anomalies', { token });

beforeAll(async () => {
  testLedger = await openTestLedger();
  testLedger.time.now += 20 * 60_000;
  token = await testLedger.createToken(['usage:read']);
  keyId = (await testLedger.createKey('night job')).id;
  thisHour = testLedger.time.now - (testLedger.time.now % HOUR);
});
afterAll(() => testLedger.close());

async function spend(hours: readonly number[], usd: number): Promise<void> {
  const entries = hours.map((hour, index) => {
    const cost = Math.round(usd * (1 + 0.1 * Math.sin(index * 12.9898)) * USD);
    const counted = { usd: cost, inputTokens: 1, outputTokens: 1 };
    return testLedger.entry({ startedAt: hour + 1_000, keyId, tags: { team: 'search' }, cost, counted });
  });
  for (let at = 0; at < entries.length; at += 500) await testLedger.ship(entries.slice(at, at + 500));
}

test('a workspace without calls, or with too few hours of them, never gets the verdict that all is usual', async () => {
  expect(await report()).toMatchObject({
    enabled: true,
    message: expect.stringContaining('no call has gone through the gateway yet'),
    anomalies: [],
    settings: { sensitivity: 'normal', minExcessUsd: 1 },
  });
  const never = await testLedger.json<BacktestShape>('/api/mcp/anomalies/backtest', { token });
  expect(never.message).toMatch(/^Not enough history: no usage/);
  await spend([thisHour], 1);
  expect((await report()).message).toBe('Not enough history: usage began less than an hour ago.');
  await spend([thisHour - 2 * HOUR, thisHour - HOUR], 1);
  const replayed = await testLedger.json<BacktestShape>('/api/mcp/anomalies/backtest', { token });
  expect(replayed.message).toMatch(/^Not enough history: usage began/);
  const young = await report();
  expect(young.message).toMatch(/^Not enough history: usage began \d+ hours ago/);
  expect(young.series).toContainEqual({
    kind: 'key',
    scope: { key: keyId },
    name: 'key "night job"',
    verdict: 'not_enough_history',
    hours: expect.any(Number),
    hoursNeeded: expect.any(Number),
  });
});

test('usual spend has no anomaly; a spike is reported with its contributors until it is muted', async () => {
  const hours = Array.from({ length: 35 * 24 }, (_, i) => thisHour - 35 * DAY + i * HOUR);
  await spend(hours.slice(0, -2), 1);
  // Usage of the past was added later: it is read the next day.
  testLedger.time.now += DAY;
  thisHour += DAY;
  await spend(
    Array.from({ length: 24 }, (_, i) => thisHour - DAY + i * HOUR),
    1,
  );
  const calm = await report();
  expect([calm.message, calm.anomalies]).toEqual([expect.stringMatching(/^Nothing unusual: \d series/), []]);
  await spend([thisHour], 50);
  const { anomalies, message } = await report();
  expect(message).toBe('1 anomaly at present.');
  expect(anomalies).toMatchObject([
    {
      type: 'COST_SPIKE',
      title: 'Cost spike',
      message: expect.stringContaining('key "night job"'),
      scope: {},
      evidence: {
        unit: 'usd',
        kind: 'cost',
        movers: expect.arrayContaining([expect.objectContaining({ isNew: false })]),
      },
    },
  ]);
  expect(anomalies[0]?.value).toBeGreaterThan(45);
  expect(anomalies[0]?.baseline).toBeLessThan(5);
  const body = { type: 'COST_SPIKE', reason: 'a migration' };
  const { id } = await testLedger.json<MuteShape>('/api/manage/mutes', { method: 'POST', body });
  expect(await report()).toMatchObject({
    muted: 1,
    anomalies: [],
    message: expect.stringContaining('1 anomaly is muted'),
  });
  await testLedger.json(`/api/manage/mutes/${id}`, { method: 'DELETE' });
  expect(await report()).toMatchObject({ muted: 0, anomalies: [{ type: 'COST_SPIKE' }] });
});

test('a past period is judged by what was known then', async () => {
  await spend([thisHour - 3 * DAY], 80);
  const startDate = new Date(thisHour - 7 * DAY).toISOString();
  const endDate = new Date(thisHour - DAY).toISOString();
  const past = await testLedger.json<BacktestShape>(
    `/api/mcp/anomalies/backtest?startDate=${startDate}&endDate=${endDate}`,
    {
      token,
    },
  );
  expect(past.message).toMatch(/^1 episode would have been reported in 6 days/);
  expect(past.episodes).toMatchObject([
    { openedAt: new Date(thisHour - 3 * DAY).toISOString(), opening: { type: 'COST_SPIKE' } },
  ]);
});

test.each([
  ['of more than a season', 'startDate=2025-01-01', 400],
  ['that is reversed', 'startDate=2026-03-10&endDate=2026-03-01', 400],
  ['of the future', 'startDate=2027-01-01&endDate=2027-01-02', 200],
])('a backtest %s', async (_, query, status) => {
  expect((await testLedger.ask(`/api/mcp/anomalies/backtest?${query}`, { token })).status).toBe(status);
});

test('settings are read and changed by an administrator', async () => {
  const body = { sensitivity: 'low', minExcessUsd: 2.5 };
  const changed = { ...body, etag: expect.any(String) };
  expect(await testLedger.json('/api/manage/detection', { method: 'PATCH', body })).toEqual(changed);
  expect(await testLedger.json('/api/manage/detection')).toEqual(changed);
  expect((await report()).settings).toEqual(body);
  expect((await testLedger.ask('/api/manage/detection', { token })).status).toBe(403);
});

test.each([
  ['PATCH', '/api/manage/detection', { sensitivity: 'extreme' }, 400],
  ['PATCH', '/api/manage/detection', { minExcessUsd: -1 }, 400],
  ['PATCH', '/api/manage/detection', { colour: 'red' }, 400],
  ['POST', '/api/manage/mutes', { type: 'COST_SPIKE' }, 400],
  ['POST', '/api/manage/mutes', { type: 'JOURNAL_PROBLEM', reason: 'x' }, 400],
  ['POST', '/api/manage/mutes', { reason: 'x', until: 'tomorrow' }, 400],
  ['POST', '/api/manage/mutes', { reason: 'x', until: '2001-01-01' }, 400],
  ['POST', '/api/manage/mutes', { reason: 'x', scope: { planet: 'mars' } }, 400],
  ['DELETE', '/api/manage/mutes/mu_none', undefined, 404],
])('%s %s with %j is refused', async (method, path, body, status) => {
  expect((await testLedger.ask(path, { method, body })).status).toBe(status);
});

test('a token reads only its own workspace', async () => {
  const workspace = await testLedger.json('/api/mcp/workspace', { token });
  expect(workspace).toEqual({ id: 'ws_default', name: expect.any(String), timeZone: 'UTC' });
});
