import { afterAll, beforeAll, expect, test } from 'vitest';
import { seeded } from '../../test/seeded.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { PastClock } from './past-clock.ts';
import { makeDemoRecords } from './seed.ts';
import { ORGANIZATION_PATH, RECEIVER_PATH, type Sandbox, startSandbox, sendSandboxUsage } from './sandbox.ts';
import type { AssistantUsage } from '../contract/assistants.ts';
import { seedDemoSettings } from './seed-settings.ts';
import { buildRequest } from '../contract/client.ts';
import { routes } from '../contract/routes.ts';
import { DAY_MS } from '../domain/time/units.ts';

let it: TestLedger;
let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox(seeded(4));
  const clock = new PastClock(() => NOW);
  const urls = { SVC_WEBHOOK_ALLOW: '127.0.0.1', SVC_ANTHROPIC_URL: sandbox.urls.anthropic };
  it = await openTestLedger(urls, { clock: clock.now });
  await it.ship([it.entry({ model: 'claude-haiku-4-5', startedAt: NOW - DAY_MS })]);
  const receiver = new URL(RECEIVER_PATH, sandbox.urls.anthropic).href;
  const { keys, machines } = await makeDemoRecords(it.ledger.records, clock, receiver);
  await seedDemoSettings({
    call: (key, parts) => {
      const { path, ...request } = buildRequest(key, parts);
      return it.json(path, request);
    },
    upload: (token, body) => it.json('/api/mcp/sync/sessions', { method: 'POST', body, token }),
    raise: (alert) => it.ledger.raise(alert),
    over: (episode) => it.ledger.receiveAlert({ type: 'alert-ended', workspaceId: 'ws_default', episode }),
    recordOutcomes: (outcomes) => it.ledger.records.outcomes.record('ws_default', outcomes),
    report: (uses) => sendSandboxUsage(sandbox.urls.anthropic + ORGANIZATION_PATH, uses),
    keys,
    machines,
    now: NOW,
    random: seeded(3),
  });
});
afterAll(async () => {
  await it.close();
  await sandbox.close();
});

test.each([
  ['/api/mcp/webhooks', 2],
  ['/api/mcp/alerts', 1],
  ['/api/mcp/subscriptions', 1],
  ['/api/manage/prices', 1],
  ['/api/manage/admin-keys', 1],
  ['/api/manage/keys', 5],
])('the demo has something to show at %s', async (path, least) => {
  expect((await it.json<unknown[]>(path)).length).toBeGreaterThanOrEqual(least);
});

const readings = Object.keys(routes).filter((key) => key.startsWith('GET ') && !key.includes('{'));

test.each(readings)('the demo has nothing that %s can not show', async (key) => {
  expect((await it.ask(key.slice('GET '.length))).status).toBeLessThan(500);
});

test('the demo has limits of several kinds, one of them raised for a while', async () => {
  const { limits } = await it.json<{ limits: { unit: string; raise: unknown }[] }>('/api/manage/limits');
  expect(new Set(limits.map(({ unit }) => unit))).toEqual(new Set(['usd', 'calls', 'concurrency']));
  expect(limits.filter(({ raise }) => raise !== null)).toHaveLength(1);
});

test('the demo has one alert, a spike that is read and resolved, and deliveries of it to webhooks', async () => {
  const alerts = await it.json<{ type: string; read: boolean; resolvedAt: string | null }[]>('/api/mcp/alerts');
  expect(alerts).toMatchObject([{ type: 'COST_SPIKE', read: true, resolvedAt: expect.any(String) }]);
  const [webhook] = await it.json<{ id: string }[]>('/api/mcp/webhooks');
  const path = `/api/mcp/webhooks/${webhook?.id}`;
  const { deliveries } = await it.json<{ deliveries: unknown[] }>(`${path}/deliveries`);
  expect(deliveries.length).toBeGreaterThan(0);
  expect((await it.ask(`${path}/test`, { method: 'POST' })).status).toBe(200);
});

test('the demo has assistants of people on several machines, and a plan that is worth its price', async () => {
  const usage = await it.json<AssistantUsage>('/api/mcp/assistants');
  const sizes = [usage.rows.person, usage.rows.credential, usage.rows.project, usage.rows.assistant];
  expect(sizes.map(({ length }) => length)).toEqual([4, 5, 4, 2]);
  expect(usage.plans?.status).toBe('Saving');
  expect(usage.total.coveredCost).toBeLessThan(usage.total.retailCost);
});

test('the demo has local sessions, some of them covered by a plan', async () => {
  const summary = await it.json<{ totalCost: number; covered?: { cost: number } }>('/api/mcp/usage/summary');
  expect(summary.covered?.cost).toBeGreaterThan(0);
  expect(summary.totalCost).toBeGreaterThan(0);
});

test('the organization of the demo reports the gateway’s usage and a little unproxied usage', async () => {
  const base = `${sandbox.urls.anthropic}${ORGANIZATION_PATH}`;
  const query = 'starting_at=2026-03-14T00:00:00Z&ending_at=2026-03-16T00:00:00Z';
  const answer = await fetch(`${base}/usage_report/messages?${query}`);
  const { data } = (await answer.json()) as { data: { starting_at: string; results: { output_tokens: number }[] }[] };
  expect(data.map(({ starting_at, results }) => [starting_at, results.map((row) => row.output_tokens)])).toEqual([
    ['2026-03-14T00:00:00Z', [500, 40]],
    ['2026-03-15T00:00:00Z', []],
  ]);
  expect((await fetch(`${base}/nothing`)).status).toBe(404);
});
