import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger, usageOf } from '../../test/test-ledger.ts';
import type { Entry } from '../domain/usage/call.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import type { UsageSeries, UsageSummary } from '../contract/usage.ts';
import type { SavingsBreakdown, SavingsShape, SubscriptionShape, SyncResult } from '../contract/sync.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const MODEL = 'claude-sonnet-4-5';
const sessionId = hash('sha256', sessionText('claude_code', '7b0e2c3a-1111-4222-8333-444455556666'));
const WIDE = '?startDate=2026-01-01&endDate=2026-12-31';

let it: TestLedger;
let token: string;

beforeEach(async () => {
  it = await openTestLedger();
  token = await it.createToken();
});
afterEach(() => it.close());

/** A record of two calls of 1,000 input and 500 output tokens, as `TestBook.entry` creates them. */
function record(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    sessionId,
    projectId: 'b'.repeat(64),
    model: MODEL,
    inputTokens: 2_000,
    outputTokens: 1_000,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date(NOW - HOUR_MS).toISOString(),
    calls: 2,
    ...changes,
  };
}

function proxied(changes: Partial<Entry> = {}): Entry {
  return it.entry({ sessionHash: sessionId, ...changes });
}

const CALL_USD = 0.0105;

async function upload(records: readonly unknown[], path = 'claude-code'): Promise<SyncResult> {
  return await it.json(`/api/mcp/sync/${path}`, { method: 'POST', body: { sessions: records }, token });
}

async function refused(body: unknown): Promise<{ status: number; error: string; param?: string }> {
  const answer = await it.ask('/api/mcp/sync/claude-code', { method: 'POST', body, token });
  return { status: answer.status, ...((await answer.json()) as { error: string; param?: string }) };
}

async function summary(query = WIDE): Promise<UsageSummary> {
  return await it.json(`/api/mcp/usage/summary${query}`, { token });
}

async function subscribe(body: Record<string, unknown> = { plan: 'max_5x', startedAt: '2026-01-01' }) {
  return await it.json<SubscriptionShape>('/api/manage/subscriptions', { method: 'POST', body });
}

describe('an upload', () => {
  test('returns its totals, and counts in the summary under its model and provider', async () => {
    expect(await upload([record()])).toEqual({ records: 1, sessions: 1, replaced: 0, cost: 2 * CALL_USD, calls: 2 });
    expect(await upload([record()])).toMatchObject({ replaced: 1, cost: 2 * CALL_USD });
    expect(await summary()).toMatchObject({
      totalCost: 2 * CALL_USD,
      totalCalls: 2,
      totalInputTokens: 2_000,
      totalOutputTokens: 1_000,
      byProvider: { anthropic: { cost: 2 * CALL_USD, calls: 2 } },
      byModel: { [MODEL]: { cost: 2 * CALL_USD, calls: 2 } },
    });
    const codex = record({ sessionId: 'c'.repeat(64), model: 'gpt-5' });
    expect(await upload([codex], 'codex')).toMatchObject({ replaced: 0 });
    expect(Object.keys((await summary()).byProvider).toSorted()).toEqual(['anthropic', 'openai']);
  });

  test('of any assistant names the assistant, and counts under its provider', async () => {
    const sessions = [record({ sessionId: 'd'.repeat(64), model: 'gemini-2.5-pro' })];
    const body = { source: 'gemini_cli', sessions };
    await it.json('/api/mcp/sync/sessions', { method: 'POST', body, token });
    expect((await summary()).byProvider).toMatchObject({ google: { calls: 2, cost: 0.0125 } });
    const unknown = { method: 'POST', body: { source: 'nobody', sessions }, token };
    expect((await it.ask('/api/mcp/sync/sessions', unknown)).status).toBe(422);
  });

  test('needs a token that may upload', async () => {
    const reader = await it.createToken(['usage:read']);
    const answer = await it.ask('/api/mcp/sync/codex', {
      method: 'POST',
      body: { sessions: [record()] },
      token: reader,
    });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringContaining('sync:write')]);
  });

  test.each([
    ['a field that nobody knows', { prompt: 'hello' }, 'sessions.1', '"prompt"'],
    ['a path in a share', { shares: [{ path: '/home/me', ...record() }] }, 'sessions.1.shares.0', '"path"'],
    [
      'a session that is not hashed',
      { sessionId: 'my session' },
      'sessions.1.sessionId',
      '64 lowercase hexadecimal digits',
    ],
    [
      'a project that is not hashed',
      { projectId: 'B'.repeat(64) },
      'sessions.1.projectId',
      '64 lowercase hexadecimal digits',
    ],
    ['a sentence for a model', { model: 'fix the login bug' }, 'sessions.1.model', 'must be a model name'],
    ['a long model', { model: 'm'.repeat(129) }, 'sessions.1.model', 'must be a model name'],
    ['a part of a token', { inputTokens: 1.5 }, 'sessions.1.inputTokens', 'must be an int'],
    ['less than nothing', { outputTokens: -1 }, 'sessions.1.outputTokens', 'at least 0'],
    ['too many tokens', { cacheReadTokens: 1e12 }, 'sessions.1.cacheReadTokens', 'at most'],
    ['no time', { timestamp: 'yesterday' }, 'sessions.1.timestamp', '2026-01-31T12:00:00Z'],
    ['a time to come', { timestamp: '2027-01-01T00:00:00Z' }, 'sessions.1.timestamp', 'future'],
    ['a missing count', { outputTokens: undefined }, 'sessions.1.outputTokens', 'is missing'],
    ['more long writes than writes', { cacheCreation1hTokens: 1 }, 'sessions.1', 'cacheCreation1hTokens'],
    [
      'shares of more than there is',
      { shares: [{ ...tokensOf(record()), inputTokens: 2_001 }] },
      'sessions.1',
      'inputTokens in its shares',
    ],
    ['too large a rounding', { roundingPico: 2e9 }, 'sessions.1.roundingPico', 'at most'],
  ])('with %s is refused with its index and nothing is kept', async (_, changes, param, sentence) => {
    const refusal = await refused({ sessions: [record(), { ...record(), ...changes }] });
    expect(refusal).toMatchObject({ status: 422, param });
    expect(refusal.error).toContain(sentence);
    expect((await summary()).totalCalls).toBe(0);
  });

  test('has one to 1,000 records', async () => {
    expect(await refused({ sessions: [] })).toMatchObject({ status: 422, param: 'sessions' });
    expect(await refused({ sessions: Array(1_001).fill(record()) })).toMatchObject({ status: 422, param: 'sessions' });
    expect(await refused({ sessions: [record()], host: 'mine' })).toMatchObject({ status: 422 });
    expect(await refused('{')).toMatchObject({ status: 400 });
  });

  test('reports usage without a price or without a number of calls', async () => {
    const { calls: _, ...uncounted } = record();
    await upload([uncounted, record({ model: 'nobody-knows', calls: 3 })]);
    const found = await summary();
    expect(found).toMatchObject({ totalCalls: 3, callsUnknown: true, unpricedCalls: 3 });
    expect(found).not.toHaveProperty('unpricedUsage');
    const answer = await upload([{ ...uncounted, sessionId: 'e'.repeat(64), model: 'nobody-knows' }]);
    expect(answer).toMatchObject({ calls: 0, cost: 0, unpricedUsage: true });
    expect(answer).not.toHaveProperty('unpricedCalls');
    const { uncovered, ...savings } = await it.json<SavingsShape>('/api/mcp/savings', { token });
    expect(uncovered).toMatchObject({ calls: 3, unpricedCalls: 3, unpricedUsage: true });
    expect(savings).not.toHaveProperty('unpricedUsage');
    expect(await summary()).toMatchObject({ totalCalls: 3, unpricedCalls: 3, unpricedUsage: true });
  });
});

function tokensOf({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens }: SessionRecord) {
  return { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens };
}

describe('a call counts once', () => {
  const whole = { totalCost: 2 * CALL_USD, totalCalls: 2, totalInputTokens: 2_000, totalOutputTokens: 1_000 };

  test('if the whole session used the gateway, in either order', async () => {
    await it.ship([proxied(), proxied({ startedAt: NOW - 2 * HOUR_MS, model: 'claude-sonnet-4-5-20250929' })]);
    expect(await upload([record()])).toMatchObject({ cost: 0, calls: 0 });
    expect(await summary()).toMatchObject(whole);
    const second = hash('sha256', 'second');
    await upload([record({ sessionId: second })]);
    await it.ship([proxied({ sessionHash: second }), proxied({ sessionHash: second })]);
    expect(await summary()).toMatchObject({ totalCost: 4 * CALL_USD, totalCalls: 4 });
  });

  test('if a part of it did, and after the session has grown', async () => {
    await upload([record()]);
    await it.ship([proxied()]);
    expect(await summary()).toMatchObject(whole);
    await it.ship([proxied({ startedAt: NOW - 10 * 60_000 })]);
    expect(await summary()).toMatchObject(whole);
    const grown = [
      record(),
      record({ timestamp: new Date(NOW - 60_000).toISOString(), calls: 1, inputTokens: 1_000, outputTokens: 500 }),
    ];
    expect(await upload(grown)).toMatchObject({ records: 2, replaced: 1, cost: CALL_USD, calls: 1 });
    expect(await summary()).toMatchObject({ totalCost: 3 * CALL_USD, totalCalls: 3, totalInputTokens: 3_000 });
  });

  test('after retention deleted its entries, with the upload before or after', async () => {
    await it.ship([proxied()]);
    await upload([record()]);
    expect(await it.ledger.store.entries.prune('ws_default', NOW + DAY_MS, 10)).toBe(1);
    expect(await summary()).toMatchObject(whole);
    await upload([record()]);
    expect(await summary()).toMatchObject(whole);
  });

  test('in the series too, by source, provider and model', async () => {
    await it.ship([proxied()]);
    await upload([record()]);
    const series = async (by: string, more = '') =>
      (
        await it.json<UsageSeries>(`/api/mcp/usage/series?startDate=2026-03-15&endDate=2026-03-15&by=${by}${more}`, {
          token,
        })
      ).points
        .map(({ value, calls, cost }) => [value, calls, cost])
        .toSorted((a, b) => String(a[0]).localeCompare(String(b[0])));
    expect(await series('source')).toEqual([
      ['claude_code', 1, CALL_USD],
      ['proxy', 1, CALL_USD],
    ]);
    expect(await series('model')).toEqual([[MODEL, 2, 2 * CALL_USD]]);
    expect(await series('provider', '&source=claude_code')).toEqual([['anthropic', 1, CALL_USD]]);
    expect(await series('model', '&keyId=key_1')).toEqual([[MODEL, 1, CALL_USD]]);
    expect(await series('key')).toEqual([
      ['key_1', 1, CALL_USD],
      [null, 1, CALL_USD],
    ]);
  });

  test('at a price that is set later', async () => {
    await upload([record({ model: 'my-own' })]);
    expect(await summary()).toMatchObject({ totalCost: 0, unpricedCalls: 2 });
    await it.ledger.startJobs();
    const body = {
      provider: 'anthropic',
      model: 'my-own',
      usdPerMillion: { input: '1', output: '2', cacheRead: '0.1' },
    };
    await it.json('/api/manage/prices', { method: 'POST', body });
    await expect.poll(() => summary()).toMatchObject({ totalCost: 0.004, totalCalls: 2 });
    expect((await summary()).unpricedCalls).toBeUndefined();
  });

  test('but calls of two workspaces are separate', async () => {
    const { id } = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
    await it.ship([proxied({ workspaceId: id })]);
    expect(await upload([record()])).toMatchObject({ calls: 2 });
  });
});

describe('a subscription', () => {
  test('has the price of its plan or a given price, and is audited', async () => {
    expect(await subscribe()).toMatchObject({
      id: expect.stringMatching(/^sub_/),
      name: 'Claude Max 5x',
      provider: 'anthropic',
      plan: 'max_5x',
      monthlyCost: 100,
      currency: 'USD',
      seats: 1,
      startedAt: '2026-01-01',
      endedAt: null,
      active: true,
      tokens: [],
    });
    const own = { plan: 'Team', provider: 'openai', monthlyCost: 25.5, seats: 3 };
    expect(await subscribe(own)).toMatchObject({ name: 'Team', monthlyCost: 25.5, startedAt: '2026-03-15' });
    const { rows } = await it.json<{ rows: { action: string }[] }>('/api/manage/audit');
    expect(rows.filter(({ action }) => action === 'subscription.create')).toHaveLength(2);
  });

  test.each([
    [{ plan: 'gold' }, 400, 'provider'],
    [{ plan: 'gold', provider: 'openai' }, 400, 'monthlyCost'],
    [{ plan: 'pro', startedAt: '2026-02-30' }, 400, 'startedAt'],
    [{ plan: 'pro', startedAt: '2026-03-02', endedAt: '2026-03-01' }, 422, 'endedAt'],
    [{ plan: 'pro', seats: 0 }, 400, 'seats'],
    [{ plan: 'pro', monthlyCost: -1 }, 400, 'monthlyCost'],
    [{ plan: 'pro', tokens: ['tok_none'] }, 404, undefined],
  ])('of %j is refused', async (body, status, param) => {
    const answer = await it.ask('/api/manage/subscriptions', { method: 'POST', body });
    expect([answer.status, ((await answer.json()) as { param?: string }).param]).toEqual([status, param]);
  });

  test('ends with its last day, and is listed in the periods that it covers', async () => {
    const { id } = await subscribe();
    const list = async () =>
      (await it.json<SubscriptionShape[]>('/api/mcp/subscriptions', { token })).map((one) => one.id);
    const end = (body: unknown) =>
      it.json<SubscriptionShape>(`/api/manage/subscriptions/${id}/end`, { method: 'POST', body });
    expect(await end({})).toMatchObject({ endedAt: '2026-03-15', active: true });
    expect(await list()).toEqual([id]);
    expect(await end({ endedAt: '2026-03-14' })).toMatchObject({ active: false });
    expect(await list()).toEqual([]);
    expect(await it.json('/api/manage/subscriptions')).toHaveLength(1);
    expect(await end({ endedAt: null })).toMatchObject({ endedAt: null, active: true });
  });

  test('covers sessions of its provider and tokens in its period, which then are shown and not owed', async () => {
    const other = await it.createToken();
    await it.ship([proxied()]);
    const days = [0, 1].map((ago) => record({ timestamp: new Date(NOW - ago * DAY_MS).toISOString() }));
    await upload(days);
    await upload([record({ sessionId: 'c'.repeat(64), model: 'gpt-5' })], 'codex');
    const theirs = { sessions: [record({ sessionId: 'd'.repeat(64) })] };
    await it.json('/api/mcp/sync/claude-code', { method: 'POST', body: theirs, token: other });
    const before = await summary();
    const tokens = await it.json<{ id: string; name: string }[]>('/api/manage/tokens');
    const mine = tokens.find(({ name }) => name === 'token 1')?.id;
    await subscribe({ plan: 'max_20x', startedAt: '2026-03-15', tokens: [mine] });
    // One of today's two calls went through the gate: that one is owed.
    const after = await summary();
    expect(after.covered).toMatchObject({ calls: 1, cost: CALL_USD });
    expect(after.totalCalls + (after.covered?.calls ?? 0)).toBe(before.totalCalls);
    expect(after.totalCost + (after.covered?.cost ?? 0)).toBeCloseTo(before.totalCost, 9);
    expect(after.byProvider['openai']).toEqual(before.byProvider['openai']);
    const today = await it.json<UsageSeries>('/api/mcp/usage/series?startDate=2026-03-14&endDate=2026-03-15', {
      token,
    });
    expect(today.covered).toMatchObject([{ start: '2026-03-15T00:00:00.000Z', calls: after.covered?.calls }]);
    expect(after.covered).not.toHaveProperty('unpricedCalls');
    await upload([record({ sessionId: 'e'.repeat(64), model: 'claude-unheard-of' })]);
    expect((await summary()).covered).toMatchObject({ calls: 3, cost: CALL_USD, unpricedCalls: 2 });
  });
});

describe('savings', () => {
  const get = (query = '') => it.json<SavingsShape>(`/api/mcp/savings${query}`, { token });

  test('are the list price minus the plan up to now, with the figure for the whole period', async () => {
    await subscribe();
    await upload([record({ inputTokens: 20_000_000, outputTokens: 0 })]);
    expect(await get()).toMatchObject({
      period: 'monthly',
      start: '2026-03-01T00:00:00.000Z',
      end: '2026-04-01T00:00:00.000Z',
      timeZone: 'UTC',
      inProgress: true,
      retailCost: 60,
      // 14.5 of 31 days.
      subscriptionCost: 46.774193548,
      fullPeriodCost: 100,
      netSavings: 13.225806452,
      status: 'Saving',
      proration: expect.stringContaining('days of the month'),
      providers: [
        { provider: 'anthropic', status: 'Saving', subscriptions: [{ plan: 'max_5x', fullPeriodCost: 100 }] },
      ],
      uncovered: { cost: 0, calls: 0 },
    });
    expect(await get('?period=daily')).toMatchObject({ subscriptionCost: 1.612903226, fullPeriodCost: 3.225806452 });
    expect(await get('?period=daily&date=2026-03-14')).toMatchObject({
      status: 'No Usage',
      inProgress: false,
      retailCost: 0,
    });
    expect(await get('?period=weekly&date=2026-03-12')).toMatchObject({
      start: '2026-03-09T00:00:00.000Z',
      end: '2026-03-16T00:00:00.000Z',
    });
  });

  test('say if a plan costs more than it saves, and what no plan covers', async () => {
    await upload([record(), record({ model: 'claude-unheard-of' })]);
    expect(await get()).toMatchObject({
      status: 'No Usage',
      providers: [],
      uncovered: { cost: 2 * CALL_USD, calls: 4, unpricedCalls: 2 },
    });
    await subscribe({ plan: 'pro', startedAt: '2026-03-15', seats: 2 });
    expect(await get()).toMatchObject({
      status: 'Below Breakeven',
      fullPeriodCost: 21.935483871,
      uncovered: { calls: 0 },
    });
  });

  test('use days of the workspace’s time zone', async () => {
    await it.json('/api/manage/workspaces/ws_default', { method: 'PATCH', body: { timeZone: 'America/New_York' } });
    await upload([record({ timestamp: '2026-03-15T03:30:00Z' })]);
    expect(await get('?period=daily&date=2026-03-14')).toMatchObject({
      start: '2026-03-14T04:00:00.000Z',
      end: '2026-03-15T04:00:00.000Z',
      uncovered: { calls: 2 },
    });
  });

  test.each(['?period=yearly', '?date=soon', '?date=2026-02-30'])('refuse %s', async (query) => {
    expect((await it.ask(`/api/mcp/savings${query}`, { token })).status).toBe(400);
  });

  test('are broken down by model at retail prices', async () => {
    await subscribe();
    await upload([record({ cacheReadTokens: 10, cacheCreationTokens: 20 }), record({ model: 'nobody-knows' })]);
    await upload([record({ sessionId: 'c'.repeat(64), model: 'gpt-5' })], 'codex');
    const { rows, retailCost } = await it.json<SavingsBreakdown>('/api/mcp/savings/breakdown', { token });
    expect(rows.map(({ model, covered, retailCost: cost }) => [model, covered, cost])).toEqual([
      [MODEL, true, 0.021078],
      ['gpt-5', false, 0.0125],
      ['nobody-knows', true, null],
    ]);
    expect(rows[0]).toMatchObject({
      inputTokens: 2_000,
      cacheReadTokens: 10,
      cacheCreationTokens: 20,
      percentage: 62.8,
    });
    expect(retailCost).toBe(0.033578);
  });
});

test('the usage of a session lists its calls without their content', async () => {
  await it.ship([proxied({ usage: usageOf(1, 1) })]);
  await upload([record()]);
  expect(await summary()).toMatchObject({ totalInputTokens: 2_000, totalOutputTokens: 1_000 });
});
