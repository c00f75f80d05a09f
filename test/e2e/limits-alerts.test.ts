import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AlertShape } from '../../src/contract/alerts.ts';
import { eventually } from '../service.ts';
import { type Ask, Limited, type Reply } from './limited.ts';

// What limits tell is told once, and what they learned is kept, through the death of the process.

const ASK: Ask = { provider: 'anthropic', model: 'claude-haiku-4-5' };

let dataDir: string;
let limited: Limited;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-alerts-'));
  limited = await Limited.start({ dataDir });
});
afterEach(async () => {
  await limited.close();
  await rm(dataDir, { recursive: true, force: true });
});

const output = (tokens: number, maxTokens = tokens): Promise<Reply> =>
  limited.call({ ...ASK, maxTokens, plan: { tokens: { output: tokens } } });

test('a model that cost more than its hold is held at that ratio until its alert is read, even after restarts', async () => {
  const { id } = await limited.limit({ unit: 'output_tokens', amount: 1_000, window: 'total', thresholds: [] });
  // More tokens than held, and no more dollars: the prompt used less than its bound.
  expect((await output(150, 100)).status).toBe(200);
  expect(await limited.settled(id)).toMatchObject({ counted: 150 });
  const [found] = await eventually(
    () => limited.service.command<AlertShape[]>(['alerts', 'list', '--unread']),
    (alerts) => alerts.length === 1,
  );
  expect(found).toMatchObject({ type: 'OVERRUN', read: false, value: 150, threshold: 100 });
  const outcomes = async () => [(await output(0, 570)).status, (await output(0, 560)).status];
  expect(await outcomes()).toEqual([402, 200]);
  const { text } = await output(0, 570);
  expect(text).toMatch(/It is held at 1\.5 times its bound, because earlier calls to claude-haiku-4-5 exceeded theirs/);
  expect(text).toMatch(/"boundRatio":1\.5\b/);
  await limited.killAndStart();
  expect(await outcomes()).toEqual([402, 200]);
  await limited.service.command(['alerts', 'read', found?.id ?? '']);
  await eventually(outcomes, ([larger]) => larger === 200);
  const unread = await limited.service.command<AlertShape[]>(['alerts', 'list', '--unread']);
  expect(unread.filter(({ type }) => type === 'OVERRUN')).toEqual([]);
  await limited.killAndStart();
  expect((await output(0, 700)).status).toBe(200);
});

test('each threshold is alerted once per window, even if the process died in between', async () => {
  const { id } = await limited.limit({ unit: 'output_tokens', amount: 100, window: 'total' });
  const titles = async () => [
    ...(await limited.alerts('BUDGET_WARNING')),
    ...(await limited.alerts('BUDGET_EXCEEDED')),
  ];
  const spend = async (tokens: number) => {
    expect((await output(tokens)).status).toBe(200);
    await limited.settled(id);
  };
  const alerts = (count: number) => eventually(titles, (seen) => seen.length === count);
  await spend(60);
  expect((await alerts(1))[0]).toContain('50%');
  await limited.killAndStart();
  await spend(15);
  await spend(6);
  expect((await alerts(2))[1]).toContain('80%');
  await limited.killAndStart();
  await spend(2);
  await spend(17);
  await alerts(3);
  expect((await output(1)).status).toBe(402);
  await limited.killAndStart();
  for (const tokens of [1, 50]) expect((await output(tokens)).status).toBe(402);
  await limited.idle();
  expect(await alerts(3)).toEqual([
    expect.stringContaining('50%'),
    expect.stringContaining('80%'),
    expect.stringContaining('is used up'),
  ]);
});

test('an hourly dollar limit that refuses calls sends a budget alert immediately', async () => {
  const { id } = await limited.limit({ unit: 'usd', amount: 0.1, window: 'hour', thresholds: [] });
  expect((await output(19_500)).status).toBe(200);
  await limited.settled(id);
  expect(await limited.alerts('BUDGET_EXCEEDED')).toEqual([]);
  expect((await output(19_500)).status).toBe(429);
  const alerts = await eventually(
    async () => limited.alerts('BUDGET_EXCEEDED'),
    (seen) => seen.length > 0,
  );
  expect(alerts).toEqual([expect.stringContaining('an hour for all calls refuses calls')]);
});

test('a limit that refuses a call at 60% is alerted once, with what helps, and resolved when such a call passes', async () => {
  const { id } = await limited.limit({ unit: 'output_tokens', amount: 100, window: 'total', thresholds: [] });
  expect((await output(60)).status).toBe(200);
  await limited.settled(id);
  for (const tokens of [70, 50]) expect((await output(tokens)).status).toBe(402);
  const refusals = async () =>
    (await limited.service.command<AlertShape[]>(['alerts', 'list'])).filter(({ type }) => type === 'BUDGET_EXCEEDED');
  const [told, ...more] = await eventually(refusals, (alerts) => alerts.length > 0);
  expect(more).toEqual([]);
  expect(told).toMatchObject({
    type: 'BUDGET_EXCEEDED',
    scope: { limit: id, model: 'claude-haiku-4-5' },
    evidence: { reason: 'exceeds_limit', needed: 70, left: 40 },
    resolvedAt: null,
  });
  expect(told?.message).toMatch(/^A call of key ".+" to claude-haiku-4-5 needs up to 70 .* tollbook limits raise /);
  // A process that dies knows of it afterwards.
  await limited.killAndStart();
  expect((await output(50)).status).toBe(402);
  expect((await output(30)).status).toBe(200);
  await limited.settled(id);
  await limited.service.command(['limits', 'raise', id, '--amount', '500', '--for', '1h']);
  await eventually(
    async () => (await output(70)).status,
    (status) => status === 200,
  );
  const [over, ...others] = await eventually(refusals, ([alert]) => alert !== undefined && alert.resolvedAt !== null);
  expect([over?.id, others]).toEqual([told?.id, []]);
});
