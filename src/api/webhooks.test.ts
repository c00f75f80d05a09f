import { afterEach, beforeEach, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { type Receiver, startReceiver } from '../../test/doubles/receiver.ts';
import { NOW, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { DeliveryShape, WebhookDetailsShape, WebhookShape } from '../contract/webhooks.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { DEFAULT_WORKSPACE } from '../storage/records/context.ts';

const OLD_SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

let it: TestLedger;
let receiver: Receiver;

beforeEach(async () => {
  it = await openTestLedger({ SVC_WEBHOOK_ALLOW: '127.0.0.0/8', SVC_BASE_URL: 'https://tollbook.example' });
  receiver = await startReceiver();
});
afterEach(async () => {
  await it.close();
  await receiver.close();
});

const spike: Alert = {
  type: 'COST_SPIKE',
  severity: 'warning',
  workspaceId: DEFAULT_WORKSPACE,
  title: 'Cost spike',
  message: 'Much is spent.',
  episode: 'spike:1',
  createdAt: NOW,
  period: { start: NOW - 3_600_000, end: NOW },
  scope: { provider: 'anthropic' },
  value: 412.1,
  threshold: 120.4,
  evidence: { unit: 'usd' },
};

interface Page {
  deliveries: DeliveryShape[];
  nextCursor: string | null;
}

async function create(changes: object = {}): Promise<WebhookShape> {
  const body = {
    name: 'ops',
    url: `${receiver.url}/hook/pathsecret`,
    type: 'custom',
    events: ['cost_spike'],
    ...changes,
  };
  return await it.json<WebhookShape>('/api/mcp/webhooks', { method: 'POST', body });
}

async function raise(alert: Alert = spike): Promise<void> {
  await it.ledger.raise(alert);
  await it.ledger.deliveries.drained();
}

const at = ({ id }: { id: string }, rest = ''): string => `/api/mcp/webhooks/${id}${rest}`;

/** Verifies a signature as a receiver would, with the test's clock. */
function verify(secret: string, { headers, body }: Receiver['received'][number]): void {
  const seconds = String(headers['webhook-timestamp']);
  expect(Number(seconds) * 1_000).toBe(it.time.now - (it.time.now % 1_000));
  const signature = new Webhook(secret).sign(String(headers['webhook-id']), new Date(Number(seconds) * 1_000), body);
  expect(String(headers['webhook-signature']).split(' ')).toContain(signature);
}

test('an alert reaches its webhook signed, with what happened, in which period, and where to read on', async () => {
  await create({ secret: OLD_SECRET });
  await raise();
  const [message] = receiver.received;
  if (!message) throw new Error('nothing was received');
  verify(OLD_SECRET, message);
  expect(message.path).toBe('/hook/pathsecret');
  expect(JSON.parse(message.body)).toMatchObject({
    type: 'cost.spike',
    timestamp: new Date(NOW).toISOString(),
    data: {
      id: expect.stringMatching(/^al_/),
      title: 'Cost spike',
      severity: 'warning',
      value: 412.1,
      threshold: 120.4,
      period: { start: '2026-03-15T11:00:00.000Z', end: '2026-03-15T12:00:00.000Z' },
      scope: { provider: 'anthropic' },
      workspace: { id: DEFAULT_WORKSPACE, name: 'default' },
      link: expect.stringMatching(/^https:\/\/tollbook\.example\/alerts\/al_/),
    },
  });
});

test('the delivery log shows every attempt without a secret', async () => {
  const webhook = await create({ secret: OLD_SECRET });
  receiver.next((response) => response.writeHead(503).end('busy with pathsecret'));
  await raise();
  it.time.now += 10_000;
  await it.ledger.deliveries.drained();
  const page = await it.json<Page>(at(webhook, '/deliveries'));
  expect(page.nextCursor).toBeNull();
  expect(page.deliveries).toMatchObject([
    {
      kind: 'alert',
      state: 'delivered',
      nextAttemptAt: null,
      attempts: [
        { status: 503, error: 'The receiver answered 503.', response: 'busy with …' },
        { status: 200, error: null, response: 'ok' },
      ],
    },
  ]);
  expect(JSON.stringify(page)).not.toMatch(/pathsecret|C2FVsBQI/);
});

test('a new secret and the old one both sign for a day, then the new one alone', async () => {
  const webhook = await create({ secret: OLD_SECRET });
  const renewed = await it.json<{ secret: string; oldSecretUntil: string }>(at(webhook, '/secret'), {
    method: 'POST',
    body: {},
  });
  expect(renewed.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(renewed.oldSecretUntil).toBe(new Date(NOW + DAY_MS).toISOString());
  await raise();
  const [both] = receiver.received;
  if (!both) throw new Error('nothing was received');
  verify(renewed.secret, both);
  verify(OLD_SECRET, both);
  it.time.now += DAY_MS;
  await raise({ ...spike, episode: 'spike:2' });
  const [, alone] = receiver.received;
  if (!alone) throw new Error('nothing more was received');
  verify(renewed.secret, alone);
  expect(() => verify(OLD_SECRET, alone)).toThrow(/to include/);
});

test('a test is sent immediately and returns its result, even if the webhook is disabled', async () => {
  const webhook = await create();
  const disabled = await it.json<WebhookDetailsShape>(at(webhook), { method: 'PATCH', body: { enabled: false } });
  expect(disabled).toMatchObject({ enabled: false, disabledReason: null });
  const good = await it.json<DeliveryShape>(at(webhook, '/test'), { method: 'POST', body: {} });
  expect(good).toMatchObject({ kind: 'test', state: 'delivered', attempts: [{ status: 200 }] });
  receiver.next((response) => response.writeHead(404).end('no such hook'));
  const bad = await it.json<DeliveryShape>(at(webhook, '/test'), { method: 'POST', body: {} });
  expect(bad).toMatchObject({ state: 'failed', attempts: [{ status: 404, response: 'no such hook' }] });
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({ type: 'test' });
});

test('deliveries that were given up can be sent again, one or all of a period, under the same message ID', async () => {
  const webhook = await create();
  for (let attempt = 0; attempt < 5; attempt += 1) receiver.next((response) => response.writeHead(422).end());
  await raise();
  for (let attempt = 0; attempt < 5; attempt += 1) {
    it.time.now += 3_600_000;
    await it.ledger.deliveries.drained();
  }
  const { deliveries } = await it.json<Page>(at(webhook, '/deliveries'));
  expect(deliveries).toMatchObject([{ state: 'failed', attempts: [{}, {}, {}, {}, {}] }]);
  const again = await it.json<DeliveryShape>(at(webhook, `/deliveries/${deliveries[0]?.id}/replay`), {
    method: 'POST',
    body: {},
  });
  expect(again).toMatchObject({ state: 'waiting', messageId: deliveries[0]?.messageId });
  await it.ledger.deliveries.drained();
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(receiver.received).toHaveLength(6);
  it.time.now += 1;
  const period = { startDate: '2026-03-15', all: true };
  expect(await it.json(at(webhook, '/replay'), { method: 'POST', body: period })).toEqual({ deliveries: 1 });
  await it.ledger.deliveries.drained();
  expect(receiver.received).toHaveLength(7);
  // A replay does not include test messages.
  await it.json(at(webhook, '/test'), { method: 'POST', body: {} });
  it.time.now += 1;
  expect(await it.json(at(webhook, '/replay'), { method: 'POST', body: period })).toEqual({ deliveries: 1 });
  await it.ledger.deliveries.drained();
  const failedOnly = { startDate: '2026-03-15' };
  expect(await it.json(at(webhook, '/replay'), { method: 'POST', body: failedOnly })).toEqual({ deliveries: 0 });
});

test('deliveries claimed by a killed process are sent as soon as the next one starts', async () => {
  await create();
  await it.ledger.records.alerts.raise(spike);
  await it.ledger.records.deliveries.claim('run_dead', it.time.now, it.time.now + 60_000, 9);
  await it.ledger.deliveries.drained();
  expect(receiver.received).toHaveLength(0);
  await it.ledger.startJobs();
  await it.ledger.deliveries.drained();
  expect(receiver.received).toHaveLength(1);
});

test('pages of deliveries are complete, newest first', async () => {
  const webhook = await create();
  for (let number = 0; number < 5; number += 1) await raise({ ...spike, episode: `spike:${number}` });
  const seen: string[] = [];
  let before: string | null = null;
  do {
    const query: string = before === null ? '' : `&cursor=${before}`;
    const page: Page = await it.json<Page>(at(webhook, `/deliveries?limit=2${query}`));
    seen.push(...page.deliveries.map(({ id }) => id));
    before = page.nextCursor;
  } while (before !== null);
  expect(seen).toHaveLength(5);
  expect(seen).toEqual(seen.toSorted().toReversed());
});

test('a webhook can be changed and removed, but its type stays', async () => {
  const webhook = await create();
  const change = { name: 'new name', events: ['budget_alert'], digest: 'weekly' };
  expect(await it.json(at(webhook), { method: 'PATCH', body: change })).toMatchObject({
    name: 'new name',
    events: ['BUDGET_WARNING', 'BUDGET_EXCEEDED'],
    digest: 'weekly',
    type: 'CUSTOM',
  });
  expect((await it.ask(at(webhook), { method: 'PATCH', body: { type: 'SLACK' } })).status).toBe(400);
  expect((await it.ask(at(webhook), { method: 'PATCH', body: { url: 'https://x.private.example/' } })).status).toBe(
    400,
  );
  expect(await it.json(at(webhook), { method: 'DELETE' })).toEqual({ removed: webhook.id });
  expect((await it.ask(at(webhook))).status).toBe(404);
  await raise();
  expect(receiver.received).toEqual([]);
});

test('creating a webhook without a required field names the field', async () => {
  const body = {
    name: 'pd',
    url: 'https://events.pagerduty.com/v2/enqueue',
    type: 'pagerduty',
    events: ['cost_spike'],
  };
  const answer = await it.ask('/api/mcp/webhooks', { method: 'POST', body });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ param: 'secret', error: expect.stringMatching(/routing/i) });
  const mail = { ...body, type: 'email', url: 'mailto:ops@example.com' };
  const refusal = await it.ask('/api/mcp/webhooks', { method: 'POST', body: mail });
  expect(await refusal.json()).toMatchObject({ error: expect.stringContaining('SVC_SMTP_URL') });
});

test('a key for one host is never sent to another', async () => {
  const pager = await create({ type: 'pagerduty', url: `${receiver.url}/v2/enqueue`, secret: 'a'.repeat(32) });
  const elsewhere = await startReceiver();
  const moved = await it.ask(at(pager), { method: 'PATCH', body: { url: `${elsewhere.url}/v2/enqueue` } });
  expect([moved.status, await moved.json()]).toEqual([422, expect.objectContaining({ param: 'url' })]);
  expect((await it.ask(at(pager), { method: 'PATCH', body: { url: receiver.url } })).status).toBe(200);
  // A secret that only signs never leaves Tollbook.
  const signed = await create({ secret: OLD_SECRET });
  expect((await it.ask(at(signed), { method: 'PATCH', body: { url: elsewhere.url } })).status).toBe(200);
  await raise();
  expect(JSON.stringify(elsewhere.received)).not.toContain('aaaa');
  await elsewhere.close();
});

test('another workspace can read and change nothing of a webhook', async () => {
  const webhook = await create();
  await raise();
  const { deliveries } = await it.json<Page>(at(webhook, '/deliveries'));
  const delivery = deliveries[0]?.id;
  const other = await it.json<{ id: string }>('/api/manage/workspaces', { method: 'POST', body: { name: 'other' } });
  const token = await it.createToken(['webhooks:write'], other.id);
  const refused = [
    ['GET', ''],
    ['PATCH', '', { name: 'x' }],
    ['DELETE', ''],
    ['POST', '/secret', {}],
    ['POST', '/test', {}],
    ['GET', '/deliveries'],
    ['POST', '/replay', { startDate: '2026-01-01', all: true }],
    ['POST', `/deliveries/${delivery}/replay`, {}],
  ] as const;
  for (const [method, rest, body] of refused) {
    const answer = await it.ask(at(webhook, rest), { method, token, ...(body && { body }) });
    expect([method, rest, answer.status]).toEqual([method, rest, 404]);
  }
  expect(receiver.received).toHaveLength(1);
});
