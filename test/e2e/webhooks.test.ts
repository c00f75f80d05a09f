import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { WebhookShape } from '../../src/contract/webhooks.ts';
import { type Receiver, startReceiver } from '../doubles/receiver.ts';
import { eventually } from '../service.ts';
import { type Ask, Limited } from './limited.ts';

// From a call that passes a threshold to the receiver that wants to know, through the real service.

const ASK: Ask = { provider: 'anthropic', model: 'claude-haiku-4-5' };

let dataDir: string;
let receiver: Receiver;
let limited: Limited;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tollbook-webhooks-'));
  receiver = await startReceiver();
  limited = await Limited.start({ dataDir, env: { SVC_WEBHOOK_ALLOW: '127.0.0.1' } });
});
afterEach(async () => {
  await limited.close();
  await receiver.close();
  await rm(dataDir, { recursive: true, force: true });
});

const types = () => receiver.received.map(({ body }) => (JSON.parse(body) as { type: string }).type);

test('an exceeded limit reaches its webhook once, even if the process dies before the receiver answers', async () => {
  await limited.service.command<WebhookShape>([
    'webhooks',
    'create',
    '--name=ops',
    '--type=custom',
    '--event=budget_alert',
    `--url=${receiver.url}/hook`,
  ]);
  const { id } = await limited.limit({ unit: 'output_tokens', amount: 100, window: 'day', thresholds: [50] });
  await limited.call({ ...ASK, maxTokens: 60, plan: { tokens: { output: 60 } } });
  await limited.settled(id);
  await eventually(
    async () => types(),
    (seen) => seen.length === 1,
  );
  expect(types()).toEqual(['budget.warning']);
  // Never answered: the process dies with the delivery under way.
  receiver.next(() => {});
  await limited.call({ ...ASK, maxTokens: 40, plan: { tokens: { output: 40 } } });
  await eventually(
    async () => types(),
    (seen) => seen.length === 2,
  );
  await limited.killAndStart();
  await eventually(
    async () => types(),
    (seen) => seen.length === 3,
  );
  expect(types()).toEqual(['budget.warning', 'budget.exceeded', 'budget.exceeded']);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(ids[1]).toBe(ids[2]);
  const { data } = JSON.parse(receiver.received[2]?.body ?? '') as { data: Record<string, unknown> };
  expect(data).toMatchObject({ severity: 'critical', value: 100, threshold: 100, scope: { limit: id } });
});
