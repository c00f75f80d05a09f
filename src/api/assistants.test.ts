import { hash as hashText } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { AssistantUsage } from '../contract/assistants.ts';
import { sessionText } from '../domain/sessions/local-call.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { Entry } from '../domain/usage/call.ts';
import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';

const MODEL = 'claude-sonnet-4-5';
const SESSION = 'a'.repeat(64);
const SECOND = 'b'.repeat(64);
const PROJECT = 'c'.repeat(64);
const CALL_USD = 0.0105;
const WEEK = `startDate=${new Date(NOW - 7 * DAY_MS).toISOString()}`;

let it: TestLedger;
let laptop: string;
let desk: string;

beforeEach(async () => {
  it = await openTestLedger();
  laptop = await it.createToken(['sync:write', 'usage:read']);
  desk = await it.createToken(['sync:write']);
});
afterEach(() => it.close());

/** A record of two calls of 1,000 input and 500 output tokens. */
function record(changes: Partial<SessionRecord> = {}): SessionRecord {
  return {
    sessionId: SESSION,
    projectId: PROJECT,
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

async function upload(token: string, sessions: readonly SessionRecord[], path = 'claude-code'): Promise<void> {
  await it.json(`/api/mcp/sync/${path}`, { method: 'POST', body: { sessions }, token });
}

function proxied(id: string, changes: Partial<Entry> = {}): Entry {
  const startedAt = NOW - HOUR_MS;
  return it.entry({
    callId: `call_${id}`,
    sessionHash: SESSION,
    context: { ...NO_CONTEXT, session: SESSION },
    startedAt,
    ...changes,
  });
}

const read = (query = ''): Promise<AssistantUsage> => it.json(`/api/mcp/assistants?${WEEK}${query}`);

test('a session that the gateway saw in part counts each call once, with the project of its file', async () => {
  await it.ship([proxied('seen'), proxied('program', { sessionHash: null })]);
  await upload(laptop, [record()]);
  const usage = await read();
  expect(usage.total).toMatchObject({ calls: 2, retailCost: 2 * CALL_USD, coveredCost: 0, inputTokens: 2_000 });
  expect(usage.sessions).toEqual([
    expect.objectContaining({
      session: SESSION,
      assistant: 'claude_code',
      project: PROJECT,
      models: [MODEL],
      calls: 2,
      people: expect.arrayContaining([expect.objectContaining({ value: expect.stringMatching(/^tok_/) })]),
    }),
  ]);
  expect(usage.rows.project).toEqual([expect.objectContaining({ value: PROJECT, calls: 2 })]);
  expect(usage.rows.credential.map(({ calls }) => calls)).toEqual([1, 1]);
  expect(usage.series.points.map(({ value, calls, cost }) => [value, calls, cost])).toEqual([
    ['claude_code', 2, 2 * CALL_USD],
  ]);
  expect([usage.isComplete, usage.from]).toEqual([true, usage.period.start]);
});

test('what a plan covers is told apart by session, and compared with the cost of the plan', async () => {
  const old = new Date(NOW - 3 * DAY_MS).toISOString();
  await upload(laptop, [record({ timestamp: old }), record({ sessionId: SECOND })]);
  expect((await read()).plans).toBeNull();
  const plan = { plan: 'max_5x', startedAt: new Date(NOW - DAY_MS).toISOString().slice(0, 10) };
  await it.json('/api/manage/subscriptions', { method: 'POST', body: plan });
  const usage = await read();
  expect(usage.sessions.map(({ session, retailCost, coveredCost }) => [session, retailCost, coveredCost])).toEqual([
    [SECOND, 2 * CALL_USD, 2 * CALL_USD],
    [SESSION, 2 * CALL_USD, 0],
  ]);
  expect(usage.plans).toMatchObject({ retailCost: 2 * CALL_USD, status: 'Below Breakeven' });
  expect(usage.plans?.providers).toEqual([
    expect.objectContaining({ provider: 'anthropic', names: ['Claude Max 5x'] }),
  ]);
  expect((await read('&covered=true')).sessions.map(({ session }) => session)).toEqual([SECOND]);
  expect((await read('&covered=false')).sessions.map(({ session }) => session)).toEqual([SESSION]);
  expect((await read('&covered=true')).plans).toBeNull();
});

test('calls by the login of a subscription count at list price, as covered', async () => {
  const body = { name: 'login', provider: 'anthropic', credential: 'subscription' };
  const { id: keyId } = await it.json<{ id: string }>('/api/manage/keys', { method: 'POST', body });
  const counted = { usd: 5_000_000_000, inputTokens: 1, outputTokens: 1 };
  await it.ship([proxied('login', { keyId, cost: 0, counted, isSubscription: true })]);
  expect((await read()).total).toMatchObject({ calls: 1, retailCost: 5, coveredCost: 5 });
});

test('usage is filtered by each property, and filters offer all values of the period', async () => {
  await upload(laptop, [record()]);
  await upload(desk, [record({ sessionId: SECOND, model: 'gpt-5', projectId: 'd'.repeat(64) })], 'codex');
  await it.ship([proxied('codex', { sessionHash: 'e'.repeat(64), operation: 'responses', context: NO_CONTEXT })]);
  const all = await read();
  expect(new Map(all.rows.assistant.map(({ value, calls }) => [value, calls]))).toEqual(
    new Map([
      ['claude_code', 2],
      ['codex', 3],
    ]),
  );
  expect(all.rows.project.map(({ value }) => value)).toContain(null);
  const person = all.rows.person.find(({ calls }) => calls === 2)?.value ?? '';
  for (const [filter, calls] of [
    ['assistant=codex', 3],
    [`person=${person}`, 2],
    [`project=${PROJECT}`, 2],
    ['project=(none)', 1],
    ['model=gpt-5', 2],
    [`session=${SECOND}`, 2],
    ['session=(none)', 0],
  ] as const) {
    const some = await read(`&${filter}`);
    expect([filter, some.total.calls]).toEqual([filter, calls]);
    expect(some.values).toEqual(all.values);
  }
  expect((await it.ask(`/api/mcp/assistants?assistant=nobody`)).status).toBe(400);
});

test('a block is five hours of a person and an assistant, and starts at the hour of the first use', async () => {
  const at = (hours: number): string => new Date(NOW - hours * HOUR_MS + 60_000).toISOString();
  await upload(laptop, [
    record({ timestamp: at(9) }),
    record({ timestamp: at(5), sessionId: SECOND }),
    record({ timestamp: at(2), sessionId: SECOND }),
  ]);
  const { blocks } = await read();
  expect(blocks.map(({ start, calls, isOpen }) => [Date.parse(start) - NOW, calls, isOpen])).toEqual([
    [-2 * HOUR_MS, 2, true],
    [-9 * HOUR_MS, 4, false],
  ]);
  const filtered = await read(`&session=${SECOND}`);
  expect(filtered.blocks.map(({ calls }) => calls)).toEqual([2, 2]);
});

test('days are those of the workspace, and sessions beyond the limit are counted', async () => {
  await it.json('/api/manage/workspaces/ws_default', { method: 'PATCH', body: { timeZone: 'Asia/Kolkata' } });
  await upload(laptop, [
    record({ timestamp: '2026-03-13T18:00:00Z' }),
    record({ timestamp: '2026-03-13T19:00:00Z', sessionId: SECOND }),
  ]);
  const usage = await read('&by=model&limit=1&sort=cost');
  expect(usage.series.points.map(({ start, calls }) => [start, calls])).toEqual([
    ['2026-03-12T18:30:00.000Z', 2],
    ['2026-03-13T18:30:00.000Z', 2],
  ]);
  expect([usage.sessions.length, usage.sessionsLeftOut]).toEqual([1, 1]);
});

test('usage of other workspaces is not read', async () => {
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  await it.ship([proxied('theirs', { workspaceId: other.id })]);
  expect((await read()).total.calls).toBe(0);
});

test('outcomes are next to the usage of their person and session, and what names no session is told apart', async () => {
  const session = { key: 'session.id', value: { stringValue: 'one' } };
  const hash = hashText('sha256', sessionText('claude_code', 'one'));
  await upload(laptop, [record({ sessionId: hash }), record({ sessionId: SECOND })]);
  const point = (asInt: string, attributes: object[]) => ({ asInt, timeUnixNano: `${NOW}000000`, attributes });
  const metric = (name: string, ...dataPoints: object[]) => {
    return { name, sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints } };
  };
  const metrics = [
    metric('claude_code.commit.count', point('2', [session]), point('1', [])),
    metric('claude_code.pull_request.count', point('1', [session])),
  ];
  const token = await it.createToken(['otlp:write']);
  const body = { resourceMetrics: [{ scopeMetrics: [{ metrics }] }] };
  await it.json('/v1/metrics', { method: 'POST', body, token });
  const counts = { linesAdded: null, linesRemoved: null };
  const usage = await read();
  expect(usage.sessions.map((one) => [one.session, one.outcomes])).toEqual(
    expect.arrayContaining([
      [hash, { ...counts, commits: 2, pullRequests: 1 }],
      [SECOND, null],
    ]),
  );
  expect(usage.outcomes).toEqual({
    assistant: [{ value: 'claude_code', name: 'claude_code', ...counts, commits: 3, pullRequests: 1 }],
    person: [expect.objectContaining({ value: expect.stringMatching(/^tok_/), commits: 3, pullRequests: 1 })],
    noSession: { ...counts, commits: 1, pullRequests: null },
  });
  expect((await read(`&session=${hash}`)).outcomes?.assistant).toMatchObject([{ commits: 2 }]);
  expect((await read('&assistant=codex')).outcomes).toEqual({ assistant: [], person: [], noSession: null });
  expect((await read(`&project=${PROJECT}`)).outcomes).toBeNull();
});
