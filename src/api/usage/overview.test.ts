import { afterEach, beforeEach, expect, test } from 'vitest';
import { restOf } from '../../../test/organization-ledger.ts';
import { NOW, openTestLedger, type TestLedger } from '../../../test/test-ledger.ts';
import type { OverviewShape, UsageChanges } from '../../contract/overview.ts';
import type { UsageSeries } from '../../contract/usage.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

const USD = 1_000_000_000;

let it: TestLedger;

beforeEach(async () => {
  it = await openTestLedger();
});
afterEach(() => it.close());

/** Creates a call with the given cost in dollars. */
function call(startedAt: number, usd: number, changes: Parameters<TestLedger['entry']>[0] = {}) {
  return it.entry({
    startedAt,
    cost: usd * USD,
    counted: { usd: usd * USD, inputTokens: 1, outputTokens: 1 },
    ...changes,
  });
}

const ask = (): Promise<OverviewShape> => it.json<OverviewShape>('/api/mcp/usage/overview');

test('an empty ledger has only zeros, no forecast, and the setup progress', async () => {
  const found = await ask();
  expect(found).toMatchObject({
    at: '2026-03-15T12:00:00.000Z',
    today: { start: '2026-03-15T00:00:00.000Z', cost: 0, calls: 0 },
    yesterday: { byThisTime: { cost: 0 }, whole: { cost: 0 } },
    month: { start: '2026-03-01T00:00:00.000Z', end: '2026-04-01T00:00:00.000Z', toDate: { cost: 0 } },
    forecast: null,
    changes: { difference: 0, cause: null, message: 'Same spend as yesterday by this time.' },
    unreadAlerts: 0,
    setup: { adminKeys: 0, accessTokens: 0, wrappedKeys: 0, limits: 0, webhooks: 0, hasCalls: false },
  });
});

test('today, yesterday until the same time and the month use the workspace’s time zone', async () => {
  await it.json('/api/manage/workspaces/ws_default', { method: 'PATCH', body: { timeZone: 'Asia/Kolkata' } });
  // 12:00 UTC is 17:30 in this zone, and the day began at 18:30 UTC.
  const today = Date.parse('2026-03-14T18:30:00Z');
  await it.ship([
    call(today, 1),
    call(NOW - 1, 2),
    call(today - 1, 4),
    call(today - DAY_MS, 8),
    call(NOW - DAY_MS, 16),
    call(Date.parse('2026-02-28T18:30:00Z'), 32),
    call(Date.parse('2026-02-28T18:29:59Z'), 64),
  ]);
  expect(await ask()).toMatchObject({
    today: { start: '2026-03-14T18:30:00.000Z', cost: 3, calls: 2 },
    yesterday: { byThisTime: { cost: 8, calls: 1 }, whole: { cost: 28, calls: 3 } },
    month: { start: '2026-02-28T18:30:00.000Z', toDate: { cost: 63 } },
    setup: { hasCalls: true },
  });
});

test('the forecast continues the days before', async () => {
  const days = Array.from({ length: 20 }, (_, index) => call(NOW - (index + 1) * DAY_MS, 10));
  await it.ship([...days, call(NOW - HOUR_MS, 5)]);
  const { forecast, month } = await ask();
  expect(month.toDate.cost).toBe(145);
  expect(forecast).toEqual({ expected: 145 + 5 + 16 * 10, low: 310, high: 310, basedOnDays: 20 });
});

test('a change is explained by the value that changed most, and its parts add up to it', async () => {
  const { id } = await it.createKey('batch jobs');
  const before = NOW - DAY_MS - HOUR_MS;
  await it.ship([
    call(before, 1, { keyId: 'key_web', tags: { team: 'web' } }),
    call(before, 2, { keyId: id, tags: { team: 'data' } }),
    call(NOW - HOUR_MS, 1.5, { keyId: 'key_web', tags: { team: 'web' } }),
    ...[1, 2, 3].map(() => call(NOW - HOUR_MS, 4, { keyId: id, model: 'claude-opus-4-5', tags: { team: 'data' } })),
    call(NOW - HOUR_MS, 0.25, { keyId: 'key_old' }),
  ]);
  const { changes } = await ask();
  expect(changes).toMatchObject({ before: 3, after: 13.75, difference: 10.75, callsBefore: 2, callsAfter: 5 });
  expect(changes.byVolume + changes.byRate).toBeCloseTo(10.75, 9);
  expect(changes.cause).toMatchObject({ by: 'model', value: 'claude-opus-4-5', difference: 12 });
  expect(changes.message).toBe('$10.75 more than yesterday by this time, mostly the model claude-opus-4-5 (+$12.00).');
  const keys = changes.dimensions.find(({ by }) => by === 'key');
  expect(keys?.parts.map(({ name, difference }) => [name, difference])).toEqual([
    ['batch jobs', 10],
    ['key_web', 0.5],
    ['key_old', 0.25],
  ]);
  const team = changes.dimensions.find(({ tagKey }) => tagKey === 'team');
  expect(team?.parts.map(({ name, difference }) => [name, difference])).toEqual([
    ['data', 10],
    ['web', 0.5],
    ['(untagged)', 0.25],
  ]);
  for (const { parts, other } of changes.dimensions)
    expect([...parts, other].reduce((sum, { difference }) => sum + difference, 0)).toBeCloseTo(10.75, 9);
});

test('calls without a price are counted next to each figure that leaves them out', async () => {
  const { id } = await it.createKey('new model');
  const unpriced = { keyId: id, model: 'no-such-model', tags: { team: 'lab' }, cost: null };
  await it.ship([call(NOW - DAY_MS - HOUR_MS, 2, { keyId: 'key_web' }), call(NOW - HOUR_MS, 0, unpriced)]);
  const { changes } = await ask();
  expect(changes).toMatchObject({ before: 2, after: 0, unpricedAfter: 1 });
  expect(changes).not.toHaveProperty('unpricedBefore');
  expect(changes.message).toMatch(/ 1 call without a price is not included\.$/);
  for (const [by, value] of [
    ['key', id],
    ['model', 'no-such-model'],
    ['tag', 'lab'],
  ])
    expect(
      changes.dimensions.find((one) => one.by === by)?.parts.find((one) => one.value === value),
      by,
    ).toMatchObject({ after: 0, unpricedAfter: 1 });
  const rows = await it.json('/api/mcp/usage/by-tag?tagKey=team');
  expect(rows).toMatchObject([{ value: 'lab', cost: 0, unpricedCalls: 1 }]);
});

test('unproxied usage without a price or a number of calls is reported as untagged', async () => {
  const tags = { team: 'web' };
  await it.ship([call(NOW - DAY_MS - HOUR_MS, 2, { tags }), call(NOW - HOUR_MS, 3, { tags })]);
  const day = { connectionId: 'ak_1', workspaceId: 'ws_default', provider: 'anthropic', day: NOW - (NOW % DAY_MS) };
  const rows = [restOf({ unpricedUses: 1, uncountedRecords: 1 })];
  await it.ledger.store.unproxiedUsage.replaceDay({ ...day, serial: 0, isClosed: false, terms: '', rows });
  const changes = await it.json<UsageChanges>('/api/mcp/usage/changes?startDate=2026-03-15');
  expect(changes).toMatchObject({ callsAfter: 1, unpricedUsageAfter: true });
  for (const name of ['unpricedBefore', 'unpricedAfter', 'unpricedUsageBefore'])
    expect(changes).not.toHaveProperty(name);
  expect(changes.message).toMatch(/\. Some usage without a price is not included\.$/);
  const untagged = changes.dimensions.find(({ by }) => by === 'tag')?.parts.find(({ value }) => value === null);
  expect(untagged).toMatchObject({ after: 0, callsAfter: 0, unpricedUsageAfter: true });
});

test('the cost to date has all usage, and says how much of it went through the gateway', async () => {
  await it.ship([call(NOW - HOUR_MS, 3)]);
  const day = { connectionId: 'ak_1', workspaceId: 'ws_default', provider: 'anthropic', day: NOW - (NOW % DAY_MS) };
  const rows = [restOf({ cost: BigInt(2 * USD) })];
  await it.ledger.store.unproxiedUsage.replaceDay({ ...day, serial: 0, isClosed: false, terms: '', rows });
  expect((await ask()).month).toMatchObject({ toDate: { cost: 5, calls: 1 }, throughGateway: 3 });
});

test('a tag with the same value on every call explains nothing', async () => {
  const tags = { env: 'production' };
  await it.ship([
    call(NOW - DAY_MS - HOUR_MS, 1, { tags }),
    call(NOW - HOUR_MS, 1, { tags }),
    call(NOW - HOUR_MS, 3, { tags, keyId: 'key_2' }),
  ]);
  expect((await ask()).changes.cause).toMatchObject({ by: 'key', value: 'key_2' });
});

test('any two periods can be compared, by default with the period right before', async () => {
  await it.ship([call(Date.parse('2026-03-01T05:00Z'), 1), call(Date.parse('2026-03-05T05:00Z'), 3)]);
  const path = '/api/mcp/usage/changes?startDate=2026-03-05&endDate=2026-03-05';
  const near = await it.json<UsageChanges>(path);
  // With one key and one model no cause can be chosen.
  expect(near.message).toBe('$3.00 more than in the period before.');
  expect([near.comparedWith, near.before, near.after]).toEqual([
    { start: '2026-03-04T00:00:00.000Z', end: '2026-03-05T00:00:00.000Z' },
    0,
    3,
  ]);
  const far = await it.json<UsageChanges>(`${path}&compareStartDate=2026-03-01&compareEndDate=2026-03-01`);
  expect([far.before, far.difference]).toEqual([1, 2]);
  expect((await it.ask(`${path}&compareStartDate=2026-03-01`)).status).toBe(400);
});

test('local sessions that are owed are included, as in the summary', async () => {
  const session = {
    sessionId: 'a'.repeat(64),
    projectId: 'b'.repeat(64),
    model: 'claude-sonnet-4-5',
    inputTokens: 1_000_000,
    outputTokens: 0,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date(NOW - HOUR_MS).toISOString(),
  };
  await it.json('/api/mcp/sync/claude-code', { method: 'POST', body: { sessions: [session] } });
  const found = await ask();
  expect(found.today.cost).toBe(3);
  expect(found.setup).toMatchObject({ hasCalls: false, hasSessions: true });
  expect(found.changes.difference).toBe(3);
});

test('a series compared with another period has the same values in both', async () => {
  const at = (day: number): number => Date.parse(`2026-03-0${day}T05:00:00Z`);
  await it.ship([
    call(at(1), 5, { model: 'claude-haiku-4-5' }),
    call(at(1), 1, { model: 'claude-sonnet-4-5' }),
    call(at(2), 3, { model: 'claude-sonnet-4-5' }),
    call(at(2), 4, { model: 'claude-opus-4-5' }),
  ]);
  const path = '/api/mcp/usage/series?by=model&limit=1&startDate=2026-03-02&endDate=2026-03-02';
  const found = await it.json<UsageSeries>(`${path}&compareStartDate=2026-03-01&compareEndDate=2026-03-01`);
  const shown = (points: UsageSeries['points'] = []) => points.map(({ value, cost }) => [value, cost]);
  expect(shown(found.points)).toEqual([['(other)', 7]]);
  expect(shown(found.comparison?.points)).toEqual([
    ['claude-haiku-4-5', 5],
    ['(other)', 1],
  ]);
  expect(found.comparison?.starts).toEqual(['2026-03-01T00:00:00.000Z']);
  expect((await it.json<UsageSeries>(path)).comparison).toBeUndefined();
});
