import { afterEach, beforeEach, expect, test } from 'vitest';
import { findBlock } from '../../test/manual.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { ErrorShape } from '../contract/errors.ts';
import type { UsageSummary } from '../contract/usage.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

let it: TestLedger;
let token: string;

beforeEach(async () => {
  it = await openTestLedger();
  token = await it.createToken(['sync:write']);
});
afterEach(() => it.close());

const EVENT = {
  id: 'nightly-1',
  time: new Date(NOW - HOUR_MS).toISOString(),
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  inputTokens: 1_000,
  outputTokens: 500,
};

async function send(...events: readonly unknown[]): Promise<Response> {
  return await it.ask('/api/usage/events', { method: 'POST', body: { events }, token });
}

async function summary(): Promise<UsageSummary> {
  return await it.json('/api/mcp/usage/summary');
}

test('an event is in the summary at the price of its tokens, and once under its id', async () => {
  expect(await (await send(EVENT)).json()).toEqual({ events: 1, stored: 1, known: 0 });
  expect(await (await send(EVENT, { ...EVENT, id: 'nightly-2' })).json()).toEqual({ events: 2, stored: 1, known: 1 });
  expect(await summary()).toMatchObject({ totalCalls: 2, totalCost: 0.021, totalInputTokens: 2_000 });
});

test('the example of the manual is taken', async () => {
  const example = findBlock('docs/telemetry.md', 'json', '"events"').replace('2026-11-23T04:10:00Z', EVENT.time);
  expect(await (await send(...(JSON.parse(example) as { events: unknown[] }).events)).json()).toMatchObject({
    stored: 1,
  });
});

test('a stated cost is the cost, with or without tokens', async () => {
  const { inputTokens: _, outputTokens: __, ...plain } = EVENT;
  await send({ ...EVENT, costUsd: 1.5 }, { ...plain, id: 'two', costUsd: '0.25' });
  expect(await summary()).toMatchObject({ totalCalls: 2, totalCost: 1.75, totalInputTokens: 1_000 });
});

test('cache writes and searches of an event have their prices', async () => {
  await send({ ...EVENT, outputTokens: 0, inputTokens: 0, cacheCreationTokens: 2_000, cacheCreation1hTokens: 1_000 });
  // 1,000 tokens each at $3.75 and $6 per million.
  expect(await summary()).toMatchObject({ totalCost: 0.00975 });
  await send({ ...EVENT, id: 'two', outputTokens: 0, inputTokens: 0, webSearches: 3 });
  expect(await summary()).toMatchObject({ totalCost: 0.03975 });
});

test('an event of a gateway call counts nothing', async () => {
  await it.ship([it.entry({ callId: 'call_a', requestId: 'req_a', responseId: 'msg_a', startedAt: NOW - HOUR_MS })]);
  const before = await summary();
  await send(
    { ...EVENT, callId: 'call_a' },
    { ...EVENT, id: '2', requestId: 'req_a' },
    { ...EVENT, id: '3', responseId: 'msg_a' },
  );
  expect(await summary()).toEqual(before);
});

test('events are in the usage by their tags, with calls of the gateway', async () => {
  await it.ship([it.entry({ callId: 'call_a', tags: { project: 'catalog' }, startedAt: NOW - HOUR_MS })]);
  await send(
    { ...EVENT, tags: { Project: 'catalog' } },
    { ...EVENT, id: '2', tags: { project: 'search' }, costUsd: 1 },
  );
  const rows = await it.call('GET /api/mcp/usage/by-tag', { query: { tagKey: 'project' } });
  expect(rows.map(({ value, calls, cost }) => [value, calls, cost])).toEqual([
    ['search', 1, 1],
    ['catalog', 2, 0.021],
  ]);
});

test('a plan covers no events', async () => {
  await it.json('/api/manage/subscriptions', { method: 'POST', body: { plan: 'max_5x', startedAt: '2026-01-01' } });
  await send(EVENT);
  const { totalCalls, covered } = await summary();
  expect({ totalCalls, covered }).toEqual({ totalCalls: 1, covered: undefined });
});

test.each([
  ['an old time', { time: new Date(NOW - 31 * DAY_MS).toISOString() }, 'events.0.time'],
  ['a future time', { time: new Date(NOW + 2 * DAY_MS).toISOString() }, 'events.0.time'],
  ['neither tokens nor cost', { inputTokens: undefined, outputTokens: undefined }, 'events.0'],
  ['a part larger than its whole', { cacheCreation1hTokens: 1 }, 'events.0.cacheCreation1hTokens'],
  ['contents', { prompt: 'SECRET-CANARY' }, undefined],
  ['a negative count', { inputTokens: -1 }, 'events.0.inputTokens'],
])('an event with %s is refused, with all of its request', async (_, changes, param) => {
  const answer = await send({ ...EVENT, ...changes }, { ...EVENT, id: 'good' });
  const { param: named, error } = (await answer.json()) as ErrorShape;
  expect({ status: answer.status, named }).toEqual({ status: 422, named: param ?? named });
  expect(error).not.toContain('CANARY');
  expect(await summary()).toMatchObject({ totalCalls: 0 });
});

test('a request has at most 1,000 events', async () => {
  const events = Array.from({ length: 1_001 }, (_, index) => ({ ...EVENT, id: `${index}` }));
  expect((await send(...events)).status).toBe(422);
  expect((await send(...events.slice(1))).status).toBe(200);
  expect(await summary()).toMatchObject({ totalCalls: 1_000 });
});
