import { afterEach, beforeEach, expect, test } from 'vitest';
import { newLimit } from '../../test/support/temporary-records.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { Limit } from '../domain/limits/limit.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../domain/time/units.ts';
import { windowAt } from '../domain/time/window.ts';
import type { Entry } from '../domain/usage/call.ts';
import type { Job } from '../jobs/schedule.ts';
import type { NewLimit } from '../storage/records/check-limit.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import { watchObservedLimitsJob } from './observed-limits.ts';

const USD = 1_000_000_000;

let it: TestLedger;
let job: Job;
let token: string;
beforeEach(async () => {
  it = await openTestLedger();
  token = await it.createToken(['sync:write']);
  const { records, store } = it.ledger;
  job = watchObservedLimitsJob({
    ...store,
    records,
    pricedAs: () => (_, model) => model,
    clock: () => it.time.now,
    raise: (alert) => it.ledger.raise(alert),
  });
});
afterEach(() => it.close());

const limitOf = (usd: number, more: Partial<NewLimit> = {}): Promise<Limit> =>
  it.ledger.records.limits.create(
    newLimit({ amount: usd * USD, window: 'day', action: 'warn', thresholds: [50], countsObserved: true, ...more }),
    'owner',
  );

/** An event of a call that cost so much. */
async function report(id: string, costUsd: number, more: Record<string, unknown> = {}): Promise<void> {
  const time = new Date(it.time.now - MINUTE_MS).toISOString();
  const event = { id, time, provider: 'openai', model: 'gpt-5', costUsd, ...more };
  await it.json('/api/usage/events', { method: 'POST', body: { events: [event] }, token });
}

/** A call of the gateway that counts under a limit. */
async function call(limit: Limit, usd: number, more: Partial<Entry> = {}): Promise<void> {
  const { start } = windowAt(limit.window, it.time.now, limit.zones);
  const counted = { usd: usd * USD, inputTokens: 1, outputTokens: 1 };
  const touched = [{ counter: limit.counter, unit: limit.unit, windowStart: start, value: '' }];
  const startedAt = it.time.now - MINUTE_MS;
  const times = { startedAt, endedAt: startedAt + 1 };
  await it.ship([it.entry({ cost: usd * USD, counted, touched, ...times, ...more })]);
}

async function turn(): Promise<readonly StoredAlert[]> {
  await job.run(new AbortController().signal);
  const alerts = await it.ledger.records.alerts.list(DEFAULT_WORKSPACE, { limit: 100, unreadOnly: false });
  return alerts.filter(({ type }) => type.startsWith('BUDGET'));
}

test('a limit that counts observed calls alerts the sum of gateway and observed calls, each threshold once', async () => {
  const limit = await limitOf(10);
  await call(limit, 4);
  expect(await turn()).toEqual([]);
  await report('a', 1.5);
  const [alert, ...others] = await turn();
  expect(others).toEqual([]);
  expect(alert).toMatchObject({
    type: 'BUDGET_WARNING',
    title: 'The limit of $10.00 a day for all calls has reached 50%',
    message: expect.stringContaining('has counted $5.50 of $10.00, $1.50 of it observed calls; left: $4.50.'),
    value: 5.5,
    evidence: { observed: 1.5 },
  });
  expect(await turn()).toHaveLength(1);
  await report('b', 6);
  expect((await turn()).map(({ type }) => type)).toEqual(['BUDGET_EXCEEDED', 'BUDGET_WARNING']);
});

test('an observed call whose gateway call arrives counts once, as that of the gateway', async () => {
  const limit = await limitOf(10);
  await report('a', 6, { requestId: 'req_a' });
  await call(limit, 6, { requestId: 'req_a' });
  expect((await turn()).map(({ value }) => value)).toEqual([6]);
  await report('a', 6, { requestId: 'req_a' });
  await report('again', 6, { requestId: 'req_a' });
  expect((await turn()).map(({ value }) => value)).toEqual([6]);
});

test('a limit counts observed calls of its scope and window only', async () => {
  await limitOf(1, { scope: { kind: 'provider', provider: 'anthropic' } });
  await limitOf(1, { scope: { kind: 'model', pattern: 'claude-*' } });
  await limitOf(1, { scope: { kind: 'tag', key: 'team', value: 'a' } });
  const matching = [
    await limitOf(1, { scope: { kind: 'model', pattern: 'gpt-*' }, window: 'hour' }),
    await limitOf(1, { scope: { kind: 'tag', key: 'team', value: 'b' }, window: 'month' }),
    await limitOf(1, { scope: { kind: 'each_tag', key: 'team' } }),
  ];
  await limitOf(5, { unit: 'usd', window: 'hour' });
  await report('yesterday', 9, { time: new Date(NOW - DAY_MS).toISOString(), model: 'o3' });
  await report('now', 2, { tags: { team: 'b' } });
  const alerts = await turn();
  expect(new Set(alerts.map(({ scope }) => scope['limit']))).toEqual(new Set(matching.map(({ id }) => id)));
  expect(alerts.find(({ scope }) => scope['value'] !== undefined)?.scope).toEqual({
    limit: matching[2]?.id,
    value: 'b',
  });
});

test('calls of a window that ended a moment ago are alerted too', async () => {
  await limitOf(1, { window: 'hour' });
  it.time.now = NOW + HOUR_MS + MINUTE_MS / 2;
  await report('late', 2);
  const [alert, ...others] = await turn();
  expect(others).toEqual([]);
  expect(alert?.message).toContain('It was reset on 15 Mar 2026, 13:00 UTC.');
});

test('the status of a limit has observed calls, and its history has them at their time', async () => {
  const counting = await limitOf(10);
  const other = await limitOf(10, { countsObserved: false, window: 'week' });
  await report('a', 1.5);
  const one = await it.call('GET /api/manage/limits/{id}', { params: { id: counting.id } });
  expect(one).toMatchObject({ countsObserved: true, counted: 1.5, observed: 1.5, remaining: 8.5 });
  const plain = await it.call('GET /api/manage/limits/{id}', { params: { id: other.id } });
  expect(plain).toMatchObject({ countsObserved: false, counted: 0, remaining: 10 });
  expect(plain.observed).toBeUndefined();
  const { counted } = await it.call('GET /api/manage/limits/{id}/history', { params: { id: counting.id } });
  expect(counted).toEqual([...Array.from({ length: 11 }, () => 0), 1.5, 0]);
});
