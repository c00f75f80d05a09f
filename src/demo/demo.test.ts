import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { type Entry, isUncertain } from '../domain/usage/call.ts';
import { isRefused } from '../domain/usage/refused-call.ts';
import { seeded } from '../../test/seeded.ts';
import { createPriceBook } from '../prices/price-book.ts';
import { demoHistory, type HistoryOptions, seedHistory, sessionLimitTime, spikeHour } from './history.ts';
import { startSandbox } from './sandbox.ts';
import { TEAMS, UNPRICED_MODEL } from './teams.ts';
import { demoRequest, startTraffic } from './traffic.ts';

const prices = createPriceBook();
const NOW = Date.UTC(2026, 10, 21, 12);
const history = (): HistoryOptions => ({
  workspaceId: 'ws_default',
  keyIds: new Map(TEAMS.map(({ name }) => [name, `key of ${name}`])),
  sessionLimit: {
    id: 'lim_1',
    counter: 1,
    amount: 40_000_000_000,
    keyId: 'key of Coding agents',
    since: sessionLimitTime(NOW),
  },
  now: NOW,
  random: seeded(1),
  resolvePrice: (provider, model, at) => prices.resolve('ws_default', provider, model, at),
});

test('the sandbox answers every demo team, counts tokens by length, and respects a maximum', async () => {
  const sandbox = await startSandbox(() => 0);
  try {
    for (const team of TEAMS) {
      const { path, body } = demoRequest(team, team.models[0], 500);
      const headers = { 'content-type': 'application/json', 'x-demo-output-tokens': '30' };
      const sent = { method: 'POST' as const, headers, body: JSON.stringify(body) };
      const answer = await request(`${sandbox.urls[team.provider]}${path}`, sent);
      const text = await answer.body.text();
      expect([team.name, answer.statusCode]).toEqual([team.name, 200]);
      expect(text).toMatch(/"(input_tokens|prompt_tokens|promptTokenCount)":[1-9]/);
    }
    const short = { method: 'POST' as const, body: '{"model":"m","max_tokens":64,"messages":[]}' };
    const answer = await request(`${sandbox.urls.anthropic}/v1/messages`, {
      ...short,
      headers: { 'x-demo-output-tokens': '900' },
    });
    expect(await answer.body.text()).toContain('"output_tokens":64');
    const refused = await request(`${sandbox.urls.openai}/v1/images`, { method: 'POST', body: '{}' });
    expect(refused.statusCode).toBe(404);
    expect(await refused.body.text()).toContain('DEMO');
  } finally {
    await sandbox.close();
  }
});

test('the traffic calls the proxy as every team with its key and its feature and user tags, until it is stopped', async () => {
  const seen = new Set<string>();
  const tags = new Set<string>();
  const sessions = new Set<string>();
  let calls = 0;
  const server = createServer((incoming, response) => {
    calls += 1;
    seen.add(`${incoming.headers.authorization} ${/^\/api\/proxy\/[a-z]+/.exec(incoming.url ?? '')?.[0]}`);
    tags.add(String(incoming.headers['x-svc-tags']));
    const session = incoming.headers['x-svc-session'];
    if (session !== undefined) sessions.add(`${incoming.headers.authorization} ${String(session)}`);
    incoming.resume().on('end', () => response.end('{}'));
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const problems: Error[] = [];
  const traffic = startTraffic({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secrets: new Map(TEAMS.map(({ name }) => [name, name])),
    random: seeded(2),
    clock: () => history().now,
    onError: (error) => problems.push(error),
    wait: () => setImmediate(),
  });
  while (seen.size < TEAMS.length) await setImmediate();
  await traffic.stop();
  const callsAtStop = calls;
  await setImmediate();
  expect(calls).toBe(callsAtStop);
  expect(problems).toEqual([]);
  expect([...seen].toSorted()).toEqual(
    TEAMS.map(({ name, provider }) => `Bearer ${name} /api/proxy/${provider}`).toSorted(),
  );
  expect([...tags].filter((tag) => !/^feature=[a-z-]+,user=[a-z]+$/.test(tag))).toEqual([]);
  expect([...sessions].filter((each) => !each.startsWith('Bearer Coding agents '))).toEqual([]);
  expect(sessions.size).toBeGreaterThan(0);
  server.close();
  server.closeAllConnections();
});

/** The calls of the history that were sent. */
function sentCalls(): Entry[] {
  return [...demoHistory(history())].flatMap((call) => (isRefused(call) ? [] : [call]));
}

test('the history covers 100 days of priced calls of every team, with IDs in order', () => {
  const entries = sentCalls();
  expect(entries.length).toBeGreaterThan(5_000);
  expect(entries.length).toBeLessThan(30_000);
  const ids = entries.map(({ callId }) => callId);
  expect(ids).toEqual([...new Set(ids)].toSorted());
  expect(new Set(entries.map(({ keyId }) => keyId))).toEqual(new Set(history().keyIds.values()));
  const unpriced = entries.filter(({ cost }) => cost === null);
  expect(unpriced.length).toBeGreaterThan(0);
  expect(new Set(unpriced.map(({ requestedModel }) => requestedModel))).toEqual(new Set([UNPRICED_MODEL]));
  expect(entries.some((entry) => isUncertain(entry))).toBe(true);
  expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(['completed', 'failed', 'client_left']));
  const days = new Set(entries.map(({ startedAt }) => new Date(startedAt).toISOString().slice(0, 10)));
  expect(days.size).toBe(101);
  const named = entries.filter(({ context }) => context.session !== null);
  expect(new Set(named.map(({ keyId }) => keyId)).size).toBe(1);
  expect(new Set(named.map(({ context }) => context.session)).size).toBeGreaterThan(50);
  expect(named.some(({ context }) => context.parentAgent !== null)).toBe(true);
});

test('a limit on each session refuses calls since it exists, and no session costs more than it', () => {
  const calls = [...demoHistory(history())];
  const refused = calls.filter((call) => isRefused(call));
  const { now, sessionLimit } = history();
  expect(refused.length).toBeGreaterThan(3);
  expect(refused.every((call) => isRefused(call) && call.at > sessionLimit!.since)).toBe(true);
  expect(refused.some((call) => isRefused(call) && call.at > now - 3_600_000)).toBe(true);
  const counted = sentCalls().filter(({ touched }) => touched.length > 0);
  const costs = Map.groupBy(counted, ({ context }) => context.session);
  expect(costs.size).toBeGreaterThan(3);
  for (const own of costs.values())
    expect(own.reduce((sum, call) => sum + (call.counted.usd ?? 0), 0)).toBeLessThanOrEqual(sessionLimit!.amount);
});

test('the hour of the spike costs many times a usual one, because of one session that loops', () => {
  const { now } = history();
  const inHour = (start: number): readonly Entry[] =>
    sentCalls().filter(({ startedAt }) => startedAt >= start && startedAt < start + 3_600_000);
  const spike = inHour(spikeHour(now));
  const bySession = Map.groupBy(spike, ({ context }) => context.session);
  expect(Math.max(...[...bySession.values()].map(({ length }) => length))).toBeGreaterThan(100);
  expect(new Date(spikeHour(now)).getUTCDay()).toBe(2);
  expect(inHour(spikeHour(now) - 3_600_000).length).toBeLessThan(50);
});

test('seeding appends every entry once, with an ascending mark', async () => {
  const batches: { mark: number; entries: readonly Entry[] }[] = [];
  const refused = await seedHistory({ append: async (batch) => void batches.push(batch) }, history());
  const appended = batches.flatMap(({ entries }) => entries.map(({ startedAt }) => startedAt));
  expect(appended).toEqual(sentCalls().map(({ startedAt }) => startedAt));
  expect(batches.at(-1)?.mark).toBe(appended.length + refused.length);
  expect(batches.map(({ mark }) => mark)).toEqual(batches.map(({ mark }) => mark).toSorted((a, b) => a - b));
});
