import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  CALL_USD,
  fact,
  MODEL,
  openOrganizationLedger,
  type OrganizationLedger,
  restOf,
  TODAY,
} from '../../../test/organization-ledger.ts';
import { eventually } from '../../../test/service.ts';
import { sessionText } from '../../domain/sessions/local-call.ts';
import type { OverviewShape } from '../../contract/overview.ts';
import type { UsageSeries, UsageSummary } from '../../contract/usage.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

const DAY = TODAY - 5 * DAY_MS;

let testLedger: OrganizationLedger;
beforeEach(async () => {
  testLedger = await openOrganizationLedger();
});
afterEach(() => testLedger.close());

const summary = (startDate: string, endDate = startDate, workspace = 'ws_default') =>
  testLedger.it.json<UsageSummary>(`/api/mcp/usage/summary?startDate=${startDate}&endDate=${endDate}`, {
    headers: { 'x-svc-workspace': workspace },
  });

/** Makes calls with a wrapped key. */
const call = (keyId: string, workspaceId: string, ...days: readonly number[]) =>
  testLedger.it.ship(days.map((startedAt) => testLedger.it.entry({ keyId, workspaceId, model: MODEL, startedAt })));

test('the cost owed counts proxied and unproxied calls once each, and a second sync changes nothing', async () => {
  const { it, organization, wrap, connect, read } = testLedger;
  it.time.now = DAY - DAY_MS;
  const key = await wrap('ws_default');
  it.time.now = TODAY + DAY_MS / 2;
  await call(key, 'ws_default', DAY + 1, TODAY + 1);
  organization.facts = [
    fact({ input: 3_000, output: 1_500 }),
    fact({ key: null, requests: 4 }),
    // A day that is not final counts only calls through the gateway, except for keys that were never wrapped.
    fact({ day: TODAY, input: 9_000, output: 4_500 }),
    fact({ day: TODAY, key: null }),
  ];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  const closed = await summary('2026-03-10');
  expect(closed).toMatchObject({
    totalCost: 4 * CALL_USD,
    totalCalls: 1,
    callsUnknown: true,
    totalInputTokens: 4_000,
    totalOutputTokens: 2_000,
    byProvider: { anthropic: { cost: 4 * CALL_USD, calls: 1 } },
    byModel: { [MODEL]: { cost: 4 * CALL_USD, calls: 1 } },
  });
  const open = await summary('2026-03-15');
  expect(open).toMatchObject({ totalCost: 2 * CALL_USD, totalCalls: 1 });
  const before = await it.ledger.store.unproxiedUsage.dailySums('ws_default', { start: 0, end: TODAY + DAY_MS });
  await read(admin);
  expect(await it.ledger.store.unproxiedUsage.dailySums('ws_default', { start: 0, end: TODAY + DAY_MS })).toEqual(
    before,
  );
  expect([await summary('2026-03-10'), await summary('2026-03-15')]).toEqual([closed, open]);
});

test('a series splits the cost by source with the same total, and unproxied usage has no tags', async () => {
  const { it, organization, wrap, connect, read } = testLedger;
  it.time.now = DAY - DAY_MS;
  await call(await wrap('ws_default'), 'ws_default', DAY + 1);
  it.time.now = TODAY + DAY_MS / 2;
  organization.facts = [fact({ input: 3_000, output: 1_500 }), fact({ day: DAY + DAY_MS, key: null })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  const series = (more: string) =>
    it.json<UsageSeries>(`/api/mcp/usage/series?startDate=2026-03-10&endDate=2026-03-11&${more}`);
  const bySource = await series('by=source');
  expect(bySource.points.map(({ start, value, cost }) => [start.slice(0, 10), value, cost])).toEqual([
    ['2026-03-10', 'proxy', CALL_USD],
    ['2026-03-10', 'provider_report', 2 * CALL_USD],
    ['2026-03-11', 'provider_report', CALL_USD],
  ]);
  const { points } = await series('source=provider_report&by=model');
  expect(points.map(({ value, cost }) => [value, cost])).toEqual([
    [MODEL, 2 * CALL_USD],
    [MODEL, CALL_USD],
  ]);
  expect((await series('source=provider_report&provider=openai')).points).toEqual([]);
  expect((await series('by=key')).points).toHaveLength(3);
  const { totalCost } = await summary('2026-03-10', '2026-03-11');
  expect(bySource.points.reduce((sum, { cost }) => sum + cost, 0)).toBeCloseTo(totalCost, 9);
  const exported = async (query: string): Promise<string[]> =>
    (await (await it.ask(`/api/manage/export?startDate=2026-03-10&endDate=2026-03-11&${query}`)).text())
      .trim()
      .split('\n');
  const rows = (await exported('format=jsonl')).map((line) => JSON.parse(line) as { source: string; cost: number });
  expect(rows.map(({ source, cost }) => [source, cost])).toEqual([
    ['proxy', CALL_USD],
    ['provider_report', CALL_USD],
    ['provider_report', 2 * CALL_USD],
  ]);
  expect(await exported('format=csv&source=provider_report')).toHaveLength(3);
  expect((await exported('format=focus')).at(-1)).toContain('organization_report');
  expect(await exported('format=csv&keyId=key_1')).toHaveLength(1);
  expect(await it.json('/api/mcp/usage/by-tag?tagKey=team&startDate=2026-03-10&endDate=2026-03-11')).toEqual([]);
});

test('calls through the gateway of another workspace are not unproxied usage, and no workspace sees another’s', async () => {
  const { it, organization, wrap, connect, read } = testLedger;
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  it.time.now = DAY - DAY_MS;
  await call(await wrap(other.id), other.id, DAY + 1, DAY + 2);
  it.time.now = TODAY + DAY_MS / 2;
  organization.facts = [fact({ input: 3_000, output: 1_500 })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: CALL_USD, totalCalls: 0 });
  expect(await summary('2026-03-10', '2026-03-10', other.id)).toMatchObject({ totalCost: 2 * CALL_USD, totalCalls: 2 });
  await it.json(`/api/manage/admin-keys/${admin}`, { method: 'DELETE' });
  await eventually(
    () => summary('2026-03-10'),
    ({ totalCost }) => totalCost === 0,
  );
});

test('a call that is recorded late is subtracted from the unproxied usage of its closed day', async () => {
  const { it, organization, wrap, connect, read, waitUntilComputed: computed } = testLedger;
  it.time.now = DAY - DAY_MS;
  const key = await wrap('ws_default');
  it.time.now = TODAY + DAY_MS / 2;
  organization.facts = [fact({ input: 3_000, output: 1_500 })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  expect((await summary('2026-03-10')).totalCost).toBe(3 * CALL_USD);
  await call(key, 'ws_default', DAY + 5);
  await it.json(`/api/manage/admin-keys/${admin}/sync`, { method: 'POST' });
  await computed(admin);
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: 3 * CALL_USD, totalCalls: 1 });
});

test('calls of a key that was replaced or revoked later count once, and later usage is unproxied', async () => {
  const { it, organization, wrap, connect, read, waitUntilComputed: computed } = testLedger;
  it.time.now = DAY - DAY_MS;
  const key = await wrap('ws_default');
  it.time.now = DAY + 2 * DAY_MS;
  const { keys } = it.ledger.records;
  await keys.replaceProviderKey('ws_default', key, 'sk-ant-api03-other-0123456789-0123456789-xyAA', 'owner');
  await call(key, 'ws_default', DAY + 1, DAY + 3 * DAY_MS);
  it.time.now = TODAY + DAY_MS / 2;
  organization.facts = [fact({ input: 2_000, output: 1_000 }), fact({ day: TODAY }), fact({ day: TODAY, key: null })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: 2 * CALL_USD, totalCalls: 1 });
  // No wrapped key uses it any more, so its usage is known to be outside the gateway.
  expect(await summary('2026-03-15')).toMatchObject({ totalCost: 2 * CALL_USD });
  await keys.revoke('ws_default', key, 'owner');
  await it.json(`/api/manage/admin-keys/${admin}/sync`, { method: 'POST' });
  await computed(admin);
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: 2 * CALL_USD, totalCalls: 1 });
});

test('proxied calls without a price count once, and leave no unproxied usage', async () => {
  const { it, organization, wrap, connect, read } = testLedger;
  it.time.now = DAY - DAY_MS;
  const keyId = await wrap('ws_default');
  it.time.now = TODAY + DAY_MS / 2;
  const model = 'claude-of-tomorrow';
  const unpriced = { keyId, workspaceId: 'ws_default', model, cost: null, provenance: null };
  await it.ship([DAY + 1, DAY + 2].map((startedAt) => it.entry({ ...unpriced, startedAt })));
  organization.facts = [fact({ model, input: 2_000, output: 1_000 })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  const found = await summary('2026-03-10');
  expect(found).toMatchObject({ totalCost: 0, totalCalls: 2, totalInputTokens: 2_000, unpricedCalls: 2 });
  expect(found).not.toHaveProperty('unpricedUsage');
});

test('reported calls without a price are counted, and usage without a number of calls separately', async () => {
  const computed = { connectionId: 'ak_1', workspaceId: 'ws_default', provider: 'openai', serial: 0, isClosed: true };
  const rest = restOf({ calls: 10, uncountedRecords: 1, unpricedCalls: 3 });
  await testLedger.it.ledger.store.unproxiedUsage.replaceDay({ ...computed, day: DAY, terms: '', rows: [rest] });
  const found = await summary('2026-03-10');
  expect(found).toMatchObject({ totalCalls: 10, unpricedCalls: 3, callsUnknown: true });
  expect(found).not.toHaveProperty('unpricedUsage');
});

test('a custom price reprices unproxied usage', async () => {
  const { it, organization, connect, read, waitUntilComputed: computed } = testLedger;
  organization.facts = [fact({ key: null }), fact({ key: null, model: 'claude-of-tomorrow' })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  const before = await summary('2026-03-10');
  expect(before).toMatchObject({ totalCost: CALL_USD, totalCalls: 0, unpricedUsage: true });
  const { points } = await it.json<UsageSeries>('/api/mcp/usage/series?startDate=2026-03-10&endDate=2026-03-10');
  expect(points).toMatchObject([{ calls: 0, cost: CALL_USD, unpricedUsage: true }]);
  const path = '/api/manage/export?startDate=2026-03-10&endDate=2026-03-10&format=';
  const lines = (await (await it.ask(`${path}jsonl`)).text()).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
    expect.objectContaining({
      source: 'provider_report',
      model: 'claude-of-tomorrow',
      cost: null,
      uncertainReason: 'no_price',
    }),
  );
  // Belongs to no wrapped key and no call.
  const [header = '', row = ''] = (await (await it.ask(`${path}focus`)).text()).split('\r\n');
  const cell = (name: string): string | undefined => row.split(',')[header.split(',').indexOf(name)];
  expect(['x_CallId', 'ResourceId', 'ResourceType', 'x_Source'].map(cell)).toEqual(['', '', '', 'provider_report']);
  it.time.now = DAY + DAY_MS / 2;
  const { today } = await it.json<OverviewShape>('/api/mcp/usage/overview');
  expect(today).toMatchObject({ calls: 0, cost: CALL_USD, unpricedUsage: true });
  it.time.now = TODAY + DAY_MS / 2;
  for (const found of [before, points[0], today]) expect(found).not.toHaveProperty('unpricedCalls');
  for (const model of [MODEL, 'claude-of-tomorrow']) {
    const body = { provider: 'anthropic', model, usdPerMillion: { input: '30', output: '150' } };
    await it.json('/api/manage/prices', { method: 'POST', body });
  }
  await computed(admin);
  const after = await summary('2026-03-10');
  expect(after.totalCost).toBeCloseTo(20 * CALL_USD, 9);
  expect(after).not.toHaveProperty('unpricedUsage');
});

test('observed calls on reported days are shown and not added', async () => {
  const { it, organization, connect, read } = testLedger;
  const time = new Date(DAY + DAY_MS / 2).toISOString();
  const event = { id: 'one', time, provider: 'anthropic', model: MODEL, inputTokens: 1_000, outputTokens: 500 };
  await it.json('/api/usage/events', { method: 'POST', body: { events: [event] } });
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: CALL_USD, totalCalls: 1 });
  organization.facts = [fact({ key: null, input: 2_000, output: 1_000 })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  const coveredByReports = { cost: CALL_USD, calls: 1, inputTokens: 1_000, outputTokens: 500 };
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: 2 * CALL_USD, totalCalls: 0, coveredByReports });
});

test('observed calls of an open day count beyond what its report states, and with its final report no longer', async () => {
  const { it, organization, connect, read } = testLedger;
  const events = [1, 2, 3].map((hour) => {
    const time = new Date(TODAY + hour * HOUR_MS).toISOString();
    const tokens = { inputTokens: 1_000, outputTokens: 500 };
    return Object.assign(tokens, { id: `event_${hour}`, time, provider: 'anthropic', model: MODEL });
  });
  await it.json('/api/usage/events', { method: 'POST', body: { events } });
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  expect(await summary('2026-03-15')).toMatchObject({ totalCost: 3 * CALL_USD, totalCalls: 3 });
  organization.facts = [fact({ day: TODAY, key: null, model: `${MODEL}-20250929` })];
  await read(admin);
  const open = await summary('2026-03-15');
  expect(open).toMatchObject({
    totalCost: 3 * CALL_USD,
    totalCalls: 3,
    totalInputTokens: 3_000,
    totalOutputTokens: 1_500,
  });
  const coveredByReports = { cost: CALL_USD, calls: 0, inputTokens: 1_000, outputTokens: 500 };
  expect(open).toMatchObject({ coveredByReports });
  const path = '/api/mcp/usage/series?startDate=2026-03-15&endDate=2026-03-15&step=hour&by=source';
  const { points } = await it.json<UsageSeries>(path);
  const shown = points.map(({ start, value, cost }) => `${start.slice(11, 13)} ${value} ${cost}`);
  expect(shown.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    `00 provider_report ${CALL_USD}`,
    '01 usage_event 0',
    `02 usage_event ${CALL_USD}`,
    `03 usage_event ${CALL_USD}`,
  ]);
  organization.facts = [fact({ day: TODAY, key: null, input: 3_000, output: 1_500 })];
  it.time.now = TODAY + 3.5 * DAY_MS;
  await read(admin);
  expect(await summary('2026-03-15')).toMatchObject({ totalCost: 3 * CALL_USD, totalCalls: 0, callsUnknown: true });
});

test('local sessions on reported days are shown and not added', async () => {
  const { it, organization, connect, read } = testLedger;
  const sessions = [DAY + DAY_MS / 2, TODAY - 400 * DAY_MS].map((at) => ({
    sessionId: hash('sha256', sessionText('claude_code', `7b0e2c3a-1111-4222-8333-4444555566${at % 90}`)),
    projectId: 'b'.repeat(64),
    model: MODEL,
    inputTokens: 1_000,
    outputTokens: 500,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date(at).toISOString(),
    calls: 1,
  }));
  await it.json('/api/mcp/sync/claude-code', { method: 'POST', body: { sessions } });
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: CALL_USD, totalCalls: 1 });
  organization.facts = [fact({ key: null, input: 2_000, output: 1_000 })];
  const admin = await connect();
  await it.ledger.startJobs();
  await read(admin);
  const coveredByReports = { cost: CALL_USD, calls: 1, inputTokens: 1_000, outputTokens: 500 };
  expect(await summary('2026-03-10')).toMatchObject({ totalCost: 2 * CALL_USD, totalCalls: 0, coveredByReports });
  const series = await it.json<UsageSeries>('/api/mcp/usage/series?startDate=2026-03-10&endDate=2026-03-10');
  expect(series.coveredByReports).toEqual([{ start: '2026-03-10T00:00:00.000Z', ...coveredByReports }]);
  // No other source covers the time before the first day that was read.
  const early = await summary('2025-02-01', '2025-02-28');
  expect(early).toMatchObject({ totalCost: CALL_USD, totalCalls: 1 });
  expect(early).not.toHaveProperty('coveredByReports');
});
