import { hash } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { EntriesPage } from '../contract/entries.ts';
import type { SessionDetail, SessionList } from '../contract/sessions.ts';
import type { UsageSeries } from '../contract/usage.ts';
import { type CallContext, NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { Entry } from '../domain/usage/call.ts';
import { HOUR_MS } from '../domain/time/units.ts';

const NANO = 1_000_000_000;
const ASSISTANT = '0c1f7a52-6d0e-4f2b-9a8b-1f2e3d4c5b6a';
const HASH = hash('sha256', `claude_code:${ASSISTANT}`);
const ODD = 'ticket 42/ü?&%2F';

let it: TestLedger;
beforeEach(async () => {
  it = await openTestLedger();
  await it.ship([
    call('main', { session: HASH, run: 'r1', requestClass: 'main' }, 1, { startedAt: NOW - 3 * HOUR_MS }),
    call('a', { session: HASH, agent: 'a', run: 'r1', requestClass: 'subagent' }, 2),
    call('a2', { session: HASH, agent: 'a', run: 'r2' }, 4, { model: 'claude-haiku-4-5' }),
    call('b', { session: HASH, agent: 'b', parentAgent: 'a', run: 'r2' }, 8),
    call('lost', { session: HASH, agent: 'd', parentAgent: 'c' }, 16),
    call('odd', { session: ODD, agent: 'x' }, 100, { sessionHash: HASH, startedAt: NOW - 5 * HOUR_MS }),
    call('none', {}, 1_000, { sessionHash: null }),
  ]);
});
afterEach(() => it.close());

function call(id: string, context: Partial<CallContext>, usd: number, changes: Partial<Entry> = {}): Entry {
  return it.entry({
    callId: `call_${id}`,
    context: { ...NO_CONTEXT, ...context },
    cost: usd * NANO,
    counted: { usd: usd * NANO, inputTokens: 1, outputTokens: 1 },
    sessionHash: HASH,
    ...changes,
  });
}

const show = (session: string, query = ''): Promise<SessionDetail> =>
  it.json(`/api/mcp/session?session=${encodeURIComponent(session)}${query}`);

test('sessions are listed with their sums, newest or most expensive first', async () => {
  const list = await it.json<SessionList>('/api/mcp/sessions');
  expect(list).toMatchObject({ total: 2, isComplete: true, from: list.period.start });
  expect(list.sessions.map(({ session, calls, cost, agents }) => [session, calls, cost, agents])).toEqual([
    [HASH, 5, 31, 3],
    [ODD, 1, 100, 1],
  ]);
  const costliest = await it.json<SessionList>('/api/mcp/sessions?sort=cost&limit=1');
  expect([costliest.total, ...costliest.sessions.map(({ session }) => session)]).toEqual([2, ODD]);
  const filtered = await it.json<SessionList>('/api/mcp/sessions?agent=b');
  expect(filtered.sessions.map(({ session, calls }) => [session, calls])).toEqual([[HASH, 1]]);
});

test('a session has its tree of agents, with the sum of each alone and with all below', async () => {
  const { agents, total, firstCallAt, models, runs } = await show(HASH);
  expect(
    agents.map(({ agent, depth, own, withDescendants }) => [agent, depth, own.cost, withDescendants.cost]),
  ).toEqual([
    [null, 0, 1, 31],
    ['a', 1, 6, 14],
    ['b', 2, 8, 8],
    ['c', 1, 0, 16],
    ['d', 2, 16, 16],
  ]);
  expect(agents[1]).toMatchObject({ models: ['claude-haiku-4-5', 'claude-sonnet-4-5'], requestClasses: ['subagent'] });
  expect(agents[3]).toMatchObject({ firstCallAt: null, lastCallAt: null });
  expect(total).toMatchObject({ calls: 5, cost: 31 });
  expect(Date.parse(firstCallAt)).toBe(NOW - 3 * HOUR_MS);
  expect(models.map(({ value, calls, cost }) => [value, calls, cost])).toEqual([
    ['claude-sonnet-4-5', 4, 27],
    ['claude-haiku-4-5', 1, 4],
  ]);
  expect(new Map(runs.map(({ value, calls }) => [value, calls]))).toEqual(
    new Map([
      ['r1', 2],
      ['r2', 2],
    ]),
  );
});

test('of many agents the most expensive are returned, with their ancestors', async () => {
  const { agents, agentsLeftOut } = await show(HASH, '&limit=3');
  expect(agents.map(({ agent }) => agent)).toEqual([null, 'c', 'd']);
  expect(agentsLeftOut).toBe(2);
});

test('a session with any characters in its name is found, with its assistant session', async () => {
  const { session, assistantSession, total } = await show(ODD);
  expect([session, total.cost]).toEqual([ODD, 100]);
  expect(assistantSession).toEqual({ hash: HASH, synced: null });
});

test('a session is found by the ID of its assistant, and by a unique beginning of its name', async () => {
  const found = async (given: string) => (await show(given)).session;
  expect(await found(ASSISTANT)).toBe(HASH);
  expect(await found(HASH.slice(0, 6))).toBe(HASH);
  expect(await found('ticket')).toBe(ODD);
  await it.ship([call('other', { session: 'ticket 43' }, 1), call('dots', { session: '..' }, 1)]);
  await expect(show('ticket')).rejects.toThrow('More than one session begins with \\"ticket\\"');
  expect(await found('ticket 43')).toBe('ticket 43');
  expect(await found('..')).toBe('..');
  expect((await it.ask('/api/mcp/session?session=nothing')).status).toBe(404);
});

/** Uploads a session file with two calls of one hour. */
async function upload(sessionId: string): Promise<void> {
  const record = {
    sessionId,
    projectId: 'b'.repeat(64),
    model: 'claude-opus-4-8',
    inputTokens: 2_000,
    outputTokens: 1_000,
    cacheReadTokens: 0,
    cacheCreationTokens: 0,
    timestamp: new Date(NOW - HOUR_MS).toISOString(),
    calls: 2,
  };
  await it.json('/api/mcp/sync/claude-code', {
    method: 'POST',
    body: { sessions: [record] },
    token: await it.createToken(),
  });
}

test('a session says what its synced file has beyond its calls', async () => {
  await upload(HASH);
  const { assistantSession, outside } = await show(HASH);
  expect(assistantSession?.synced).toMatchObject({ calls: 2, inputTokens: 2_000, outputTokens: 1_000 });
  expect(outside).toMatchObject({ calls: 2, inputTokens: 2_000, outputTokens: 1_000, project: 'b'.repeat(64) });
  expect((await show(ODD)).outside?.calls).toBe(2);
});

test('a session without calls through the gateway is found by its hash, and says whose it is', async () => {
  const id = '9b1f7a52-6d0e-4f2b-9a8b-1f2e3d4c5b6a';
  const synced = hash('sha256', `claude_code:${id}`);
  await upload(synced);
  const plan = { plan: 'max_5x', startedAt: '2026-01-01' };
  await it.json('/api/manage/subscriptions', { method: 'POST', body: plan });
  const detail = await show(synced);
  expect(detail).toMatchObject({
    session: synced,
    total: { calls: 0, cost: 0 },
    agents: [],
    firstCallAt: new Date(NOW - HOUR_MS).toISOString(),
    outside: { assistant: 'claude_code', calls: 2, people: [{ name: expect.stringMatching(/^token/) }] },
  });
  const { retailCost, coveredCost, models } = detail.outside ?? {};
  expect(retailCost).toBeGreaterThan(0);
  expect(coveredCost).toBe(retailCost);
  expect(models?.map(({ value, calls }) => [value, calls])).toEqual([['claude-opus-4-8', 2]]);
  expect((await show(id)).session).toBe(synced);
});

test('sessions of other workspaces are not returned', async () => {
  const { id } = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const headers = { 'x-svc-workspace': id };
  expect((await it.json<SessionList>('/api/mcp/sessions', { headers })).sessions).toEqual([]);
  expect((await it.ask(`/api/mcp/session?session=${HASH}`, { headers })).status).toBe(404);
});

test('usage is grouped and filtered by session, agent, run and request class', async () => {
  const series = async (query: string) => {
    const { points } = await it.json<UsageSeries>(`/api/mcp/usage/series?${query}`);
    const costs = new Map<string | null, number>();
    for (const { value, cost } of points) costs.set(value, (costs.get(value) ?? 0) + cost);
    return costs;
  };
  expect(await series('by=session')).toEqual(
    new Map<string | null, number>([
      [HASH, 31],
      [ODD, 100],
      [null, 1_000],
    ]),
  );
  expect(await series(`by=agent&session=${HASH}`)).toEqual(
    new Map<string | null, number>([
      [null, 1],
      ['a', 6],
      ['b', 8],
      ['d', 16],
    ]),
  );
  expect(await series('by=request_class&run=r1')).toEqual(
    new Map([
      ['main', 1],
      ['subagent', 2],
    ]),
  );
  expect(await series('by=run&agent=a')).toEqual(
    new Map([
      ['r1', 2],
      ['r2', 4],
    ]),
  );
  const { entries } = await it.json<EntriesPage>(`/api/mcp/entries?session=${HASH}&requestClass=main`);
  expect(entries).toMatchObject([{ id: 'call_main', session: HASH, agent: null, run: 'r1', requestClass: 'main' }]);
});

test('a call is found by the ID of its assistant session, even if its session has another name', async () => {
  await it.ship([call('renamed', { session: 'nightly' }, 1, { sessionHash: hash('sha256', 'codex:thread-7') })]);
  const { entries } = await it.json<EntriesPage>('/api/mcp/entries?find=thread-7');
  expect(entries.map(({ id }) => id)).toEqual(['call_renamed']);
});

test('above 100,000 sessions the newest are listed, and the response says since when', async () => {
  const SESSIONS = 130_000;
  const AT_ONCE = 10_000;
  for (let first = 0; first < SESSIONS; first += AT_ONCE) {
    const sessions = Array.from({ length: AT_ONCE }, (_, index) => first + index);
    await it.ship(
      sessions.map((one) => call(`many_${one}`, { session: `s${one}` }, 1, { startedAt: NOW - HOUR_MS + one })),
    );
  }
  const list = await it.json<SessionList>('/api/mcp/sessions?limit=2');
  expect(list.isComplete).toBe(false);
  expect(Date.parse(list.from)).toBeGreaterThan(NOW - HOUR_MS);
  expect(list.total).toBeGreaterThanOrEqual(100_000);
  expect(list.sessions.map(({ session, calls }) => [session, calls])).toEqual([
    [`s${SESSIONS - 1}`, 1],
    [`s${SESSIONS - 2}`, 1],
  ]);
  const short = `startDate=${new Date(NOW - HOUR_MS + SESSIONS - 5).toISOString()}`;
  expect(await it.json(`/api/mcp/sessions?${short}`)).toMatchObject({ isComplete: true, total: 5 });
});
