import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LIMITS } from '../../src/config.ts';
import type { EntriesPage } from '../../src/contract/entries.ts';
import type { RefusalCountsShape, RefusalsPageShape } from '../../src/contract/refusals.ts';
import { startReceiver } from '../doubles/receiver.ts';
import { eventually } from '../service.ts';
import { type Ask, Limited, type Reply } from './limited.ts';

// Refused calls through the real service: durable, bounded, counted, and told at once.

const ASK: Ask = { provider: 'anthropic', model: 'claude-haiku-4-5' };
const PER_KEY = LIMITS.refusalsPerKeyPerMinute;

let dataDir: string;
let limited: Limited;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-refused-'));
  limited = await Limited.start({ dataDir, env: { SVC_WEBHOOK_ALLOW: '127.0.0.1' } });
});
afterEach(async () => {
  await limited.close();
  await rm(dataDir, { recursive: true, force: true });
});

const output = (tokens: number, ask: Partial<Ask> = {}): Promise<Reply> =>
  limited.call({ ...ASK, maxTokens: tokens, plan: { tokens: { output: tokens } }, ...ask });

const count = (query: string): Promise<RefusalCountsShape> =>
  limited.service.report<RefusalCountsShape>(`/api/mcp/refusals/counts?${query}`);

test('a refused call is a record with its figures, its tags and its session, and survives kill -9 exactly once', async () => {
  const { id } = await limited.limit({ unit: 'output_tokens', amount: 100, window: 'total' });
  expect((await output(60)).status).toBe(200);
  const refused = await output(70, {
    tags: { team: 'search' },
    headers: { 'x-svc-session': 'night', 'x-svc-agent': 'worker' },
  });
  expect(refused.status).toBe(402);
  await limited.killAndStart();
  const [record, ...more] = await limited.refusals(id);
  expect(more).toEqual([]);
  expect(record).toMatchObject({
    callId: refused.headers['x-svc-call-id'],
    calls: 1,
    model: 'claude-haiku-4-5',
    reason: 'exceeds_limit',
    unit: 'output_tokens',
    needed: 70,
    remaining: 40,
    tags: { team: 'search' },
    session: 'night',
    agent: 'worker',
  });
  await limited.killAndStart();
  expect(await limited.refusals(id)).toEqual([record]);
  const found = (call: string) => limited.service.report<EntriesPage>(`/api/mcp/entries?find=${call}`);
  expect(await found(String(record?.callId))).toMatchObject({ entries: [], refusals: [record] });
  expect((await found('call_other')).refusals).toBeUndefined();
  const { refusals } = await limited.service.report<RefusalsPageShape>('/api/mcp/refusals?session=night');
  expect(refusals).toEqual([record]);
  expect(await limited.service.command(['sessions', 'show', 'night'])).toEqual({
    session: 'night',
    refusals: [record],
  });
  const keyId = limited.keys.anthropic?.id;
  for (const [by, value] of [
    ['limit', id],
    ['key', keyId],
    ['reason', 'exceeds_limit'],
  ])
    expect(await count(`by=${by}`)).toEqual({ calls: 1, groups: [{ value, calls: 1 }] });
  expect((await count('by=day')).groups).toMatchObject([{ calls: 1 }]);
  await expect(count('limitId=lim_other')).rejects.toThrow('There is no limit');
});

test('above the rate of a key no refused call is dropped: they are sums, and their number is exact', async () => {
  const { id } = await limited.limit({ unit: 'output_tokens', amount: 10, window: 'total' });
  const calls = 4 * PER_KEY;
  const statuses = await Promise.all(Array.from({ length: calls }, async () => (await output(20)).status));
  expect(new Set(statuses)).toEqual(new Set([402]));
  await eventually(
    () => count(`limitId=${id}`),
    (counted) => counted.calls === calls,
  );
  const records = await limited.refusals(id, PER_KEY + 1);
  const sums = records.filter(({ summed }) => summed);
  expect(sums.length).toBeGreaterThan(0);
  // The calls may be of two minutes.
  expect(records.length).toBeLessThanOrEqual(2 * (PER_KEY + 1));
  expect(sums[0]).toMatchObject({ model: null, needed: null, remaining: null, limitId: id });
  expect(records.reduce((sum, { calls: of }) => sum + of, 0)).toBe(calls);
});

test('the first refusal reaches a webhook immediately, with the key, the model, what it needed and what was left', async () => {
  const receiver = await startReceiver();
  try {
    await limited.service.command([
      'webhooks',
      'create',
      '--name',
      'ops',
      '--type',
      'custom',
      '--event',
      'budget_exceeded',
      '--url',
      receiver.url,
    ]);
    const { id } = await limited.limit({ unit: 'output_tokens', amount: 100, window: 'total', thresholds: [] });
    const arrived = new Promise<string>((resolve) => {
      receiver.next((response, { body }) => {
        response.end('ok');
        resolve(body);
      });
    });
    expect((await output(120)).status).toBe(402);
    expect(JSON.parse(await arrived)).toMatchObject({
      type: 'budget.exceeded',
      data: {
        type: 'BUDGET_EXCEEDED',
        scope: { limit: id, key: limited.keys.anthropic?.id, model: 'claude-haiku-4-5' },
        evidence: { reason: 'exceeds_limit', needed: 120, left: 100, help: expect.stringContaining('limits raise') },
      },
    });
  } finally {
    await receiver.close();
  }
});
