import { expect, test } from 'vitest';
import type { Alert } from '../../domain/alerts/alert.ts';
import { findDestination } from '../destinations/destinations.ts';
import type { HttpMessage, WebhookNotice, ReceiverReply } from '../destinations/destination.ts';
import { createLog } from '../../lib/log.ts';
import { openTemporaryRecords, type TemporaryRecords } from '../../../test/support/temporary-records.ts';
import type { SendResult } from './attempt.ts';
import { DeliveryRunner } from './delivery-runner.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import { DEFAULT_WORKSPACE } from '../../storage/records/context.ts';
import type { NewWebhook } from '../../storage/records/webhooks.ts';

const alert = (episode: string, changes: Partial<Alert> = {}): Alert => ({
  type: 'COST_SPIKE',
  severity: 'warning',
  workspaceId: DEFAULT_WORKSPACE,
  title: episode,
  message: 'Something costs more.',
  episode,
  createdAt: 1,
  period: null,
  scope: {},
  value: null,
  threshold: null,
  evidence: {},
  ...changes,
});

const hook = (name: string, changes: Partial<NewWebhook> = {}): NewWebhook => ({
  workspaceId: DEFAULT_WORKSPACE,
  name,
  url: `https://${name}.test/`,
  type: 'CUSTOM',
  events: ['COST_SPIKE', 'WEBHOOK_DISABLED'],
  secret: null,
  digest: 'off',
  ...changes,
});

/** A message that was sent, as a receiver sees it. */
interface Received {
  readonly host: string;
  readonly id: string;
  readonly title: string;
}

/** Receivers by host: what each answers to the next message, in turn; without more they take it. */
class Network {
  readonly received: Received[] = [];
  readonly answers = new Map<string, (Partial<ReceiverReply> | 'silence' | 'closing')[]>();
  /** Called while a message is on its way. */
  underWay: () => Promise<void> | void = () => {};

  async send(message: HttpMessage): Promise<SendResult> {
    const { host } = new URL(message.url);
    const { data } = JSON.parse(message.body) as { data: { title: string } };
    await this.underWay();
    const answer = this.answers.get(host)?.shift() ?? { status: 200 };
    if (answer === 'silence') return { ok: false, error: 'Nobody answered.' };
    if (answer === 'closing') return { ok: false, error: 'The service is closing.', isClosing: true };
    this.received.push({ host, id: message.headers['webhook-id'] ?? '', title: data.title });
    return { ok: true, reply: { status: 200, headers: {}, body: '', ...answer } };
  }

  titles(host: string): string[] {
    return this.received.filter((one) => one.host === host).map(({ title }) => title);
  }
}

function deliverer(
  { records, time }: Pick<TemporaryRecords, 'records' | 'time'>,
  network: Network,
  runner = 'run_1',
  skewMs = 0,
) {
  return new DeliveryRunner({
    records,
    clock: () => time.now + skewMs,
    claimTime: async () => time.now,
    log: createLog({ level: 'silent' }),
    findDestination: ({ type }) => findDestination(type),
    async buildNotice({ alertId, messageId, content }): Promise<WebhookNotice | null> {
      if (content) return content as unknown as WebhookNotice;
      const { title, message, severity, type } = await records.alerts.get(DEFAULT_WORKSPACE, alertId ?? '');
      return {
        id: messageId,
        kind: 'alert',
        type,
        severity,
        title,
        message,
        at: 1,
        episode: messageId,
        workspace: 'w',
        facts: [],
        link: 'https://t.test/',
        data: {},
      };
    },
    send: (message) => (message.via === 'http' ? network.send(message) : Promise.reject(new Error('no mail here'))),
    runner,
    random: () => 0.5,
  });
}

test('every subscribed webhook gets each alert once and in order, others get nothing', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  for (const name of ['a', 'b']) await it.records.webhooks.create(hook(name), 'owner');
  await it.records.webhooks.create(hook('other', { events: ['RATE_LIMIT'] }), 'owner');
  const titles = ['1', '2', '3', '4', '5'];
  for (const title of titles) await it.records.alerts.raise(alert(title));
  // The same episode again.
  await it.records.alerts.raise(alert('5', { message: 'Still.' }));
  await deliverer(it, network).drained();
  expect([network.titles('a.test'), network.titles('b.test'), network.titles('other.test')]).toEqual([
    titles,
    titles,
    [],
  ]);
  await deliverer(it, network).drained();
  expect(network.received).toHaveLength(10);
});

test('a failing receiver delays its whole queue and no other webhook', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  network.answers.set('a.test', [{ status: 503 }, 'silence']);
  for (const name of ['a', 'b']) await it.records.webhooks.create(hook(name), 'owner');
  for (const title of ['1', '2']) await it.records.alerts.raise(alert(title));
  await deliverer(it, network).drained();
  expect(network.titles('b.test')).toEqual(['1', '2']);
  expect(network.titles('a.test')).toEqual(['1']);
  it.time.now += 6_000;
  await deliverer(it, network).drained();
  it.time.now += 20_000;
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1']);
  it.time.now += 20_000;
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1', '1', '2']);
  expect(new Set(network.received.map(({ id }) => id)).size).toBe(2);
});

test('with more busy webhooks than queues, no webhook is skipped twice', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  const [count, places] = [36, 32];
  for (let number = 0; number < count; number += 1) await it.records.webhooks.create(hook(`h${number}`), 'owner');
  for (const title of ['1', '2', '3']) await it.records.alerts.raise(alert(title));
  // Each message takes longer than a queue may run.
  network.underWay = () => void (it.time.now += 31_000);
  await deliverer(it, network).drained();
  expect(new Set(network.received.slice(0, 2 * places).map(({ host }) => host)).size).toBe(count);
  expect(network.received).toHaveLength(3 * count);
});

test('a message with refused content does not block later messages', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  network.answers.set('a.test', [{ status: 422 }]);
  await it.records.webhooks.create(hook('a'), 'owner');
  for (const title of ['bad', 'good']) await it.records.alerts.raise(alert(title));
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['bad', 'good']);
  it.time.now += 6_000;
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['bad', 'good', 'bad']);
});

test('410 disables the webhook and alerts the others; waiting deliveries are sent after it is enabled again', async () => {
  const it = await openTemporaryRecords();
  const { records } = it;
  const network = new Network();
  network.answers.set('a.test', [{ status: 410 }]);
  const { id } = await records.webhooks.create(hook('a'), 'owner');
  await records.webhooks.create(hook('b'), 'owner');
  for (const title of ['1', '2']) await records.alerts.raise(alert(title));
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1']);
  expect(network.titles('b.test')).toEqual(['1', '2', 'The webhook "a" is disabled']);
  expect(await records.webhooks.get(DEFAULT_WORKSPACE, id)).toMatchObject({
    enabled: false,
    disabledReason: expect.stringContaining('no longer exists'),
  });
  // It goes on gathering what it misses.
  await records.alerts.raise(alert('3'));
  await deliverer(it, network).drained();
  await records.webhooks.update(DEFAULT_WORKSPACE, id, { enabled: true }, 'owner');
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1', '1', '2', '3']);
});

test('a failure of the old URL does not count against a new URL', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  const { id } = await it.records.webhooks.create(hook('old'), 'owner');
  await it.records.alerts.raise(alert('1'));
  network.answers.set('old.test', [{ status: 410 }]);
  network.underWay = async () => {
    network.underWay = () => {};
    await it.records.webhooks.update(DEFAULT_WORKSPACE, id, { url: 'https://new.test/' }, 'owner');
  };
  await deliverer(it, network).drained();
  expect(network.received.map(({ host }) => host)).toEqual(['old.test', 'new.test']);
  expect(await it.records.webhooks.get(DEFAULT_WORKSPACE, id)).toMatchObject({ enabled: true, failingSince: null });
});

test('a disabled webhook gets no alerts raised in the meantime', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  const { id } = await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.webhooks.update(DEFAULT_WORKSPACE, id, { enabled: false }, 'owner');
  await it.records.alerts.raise(alert('1'));
  await it.records.webhooks.update(DEFAULT_WORKSPACE, id, { enabled: true }, 'owner');
  await deliverer(it, network).drained();
  expect(network.received).toEqual([]);
});

test('a webhook disabled while its queue runs gets no further deliveries', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  const { id } = await it.records.webhooks.create(hook('a'), 'owner');
  for (const title of ['1', '2']) await it.records.alerts.raise(alert(title));
  network.underWay = async () =>
    void (await it.records.webhooks.update(DEFAULT_WORKSPACE, id, { enabled: false }, 'owner'));
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1']);
});

test('three days of failures disable a webhook', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  network.answers.set(
    'a.test',
    Array.from({ length: 100 }, () => 'silence'),
  );
  const { id } = await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.alerts.raise(alert('1'));
  let hours = 0;
  for (; hours < 200 && (await it.records.webhooks.get(DEFAULT_WORKSPACE, id)).enabled; hours += 1) {
    await deliverer(it, network).drained();
    it.time.now += HOUR_MS;
  }
  expect(hours).toBeGreaterThanOrEqual(72);
  expect(hours).toBeLessThanOrEqual(84);
  const [delivery] = await it.records.deliveries.list(DEFAULT_WORKSPACE, id, { limit: 1, before: null });
  expect(delivery).toMatchObject({ state: 'failed' });
});

test('the end of an episode is sent to webhooks that got its start', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.alerts.raise(alert('1'));
  await it.records.webhooks.create(hook('late'), 'owner');
  expect(await it.records.alerts.resolve(DEFAULT_WORKSPACE, '1', 5)).toMatchObject({ resolvedAt: 5 });
  expect(await it.records.alerts.resolve(DEFAULT_WORKSPACE, '1', 6)).toBeNull();
  await deliverer(it, network).drained();
  const [begin, end] = network.received;
  expect(network.received.map(({ host }) => host)).toEqual(['a.test', 'a.test']);
  expect(end?.id).toBe(`${begin?.id}_resolved`);
});

test('three runners on one store send each delivery once', async () => {
  const first = await openTemporaryRecords();
  const others = await Promise.all([1, 2].map(() => openTemporaryRecords(first.dataDir)));
  const network = new Network();
  network.underWay = () => new Promise((resolve) => setImmediate(resolve));
  for (let number = 0; number < 8; number += 1) await first.records.webhooks.create(hook(`h${number}`), 'owner');
  const titles = Array.from({ length: 12 }, (_, number) => String(number));
  // Each of them raises what all of them see.
  for (const title of titles) for (const { records } of [first, ...others]) await records.alerts.raise(alert(title));
  const stores = [first, ...others].map(({ records }) => ({ records, time: first.time }));
  const runners = stores.map((one, index) => deliverer(one, network, `run_${index}`));
  for (let turn = 0; turn < 5; turn += 1) await Promise.all(runners.map((one) => one.drained()));
  for (let number = 0; number < 8; number += 1) expect(network.titles(`h${number}.test`)).toEqual(titles);
});

test.each([-HOUR_MS, HOUR_MS])('a runner whose clock is off by %d ms sends nothing twice', async (skewMs) => {
  const it = await openTemporaryRecords();
  const network = new Network();
  await it.records.webhooks.create(hook('a'), 'owner');
  for (const title of ['1', '2']) await it.records.alerts.raise(alert(title));
  const [one, other] = [deliverer(it, network, 'run_1'), deliverer(it, network, 'run_2', skewMs)];
  network.underWay = () => other.drained();
  await one.drained();
  network.underWay = () => one.drained();
  await it.records.alerts.raise(alert('3'));
  await other.drained();
  expect(network.titles('a.test')).toEqual(['1', '2', '3']);
});

test('another runner resends the delivery of a runner that died, after its claim expires', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.alerts.raise(alert('1'));
  // It dies before it has recorded the answer.
  await it.records.deliveries.claim('run_dead', it.time.now, it.time.now + 60_000, 9);
  await deliverer(it, network).drained();
  expect(network.received).toEqual([]);
  it.time.now += 60_001;
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1']);
});

test('a long-running queue keeps its claim', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.alerts.raise(alert('1'));
  const [one, other] = [deliverer(it, network, 'run_1'), deliverer(it, network, 'run_2')];
  network.underWay = async () => {
    network.underWay = () => {};
    for (let look = 0; look < 4; look += 1) {
      it.time.now += 25_000;
      await other.drained();
      await one.start();
    }
  };
  await one.drained();
  expect(network.titles('a.test')).toEqual(['1']);
});

test('a result recorded after the claim was lost changes nothing', async () => {
  const it = await openTemporaryRecords();
  const { records, time } = it;
  const { id } = await records.webhooks.create(hook('a'), 'owner');
  await records.alerts.raise(alert('1'));
  await records.deliveries.claim('run_slow', time.now, time.now + 10, 9);
  const delivery = await records.deliveries.next(id, time.now);
  if (!delivery) throw new Error('nothing is due');
  time.now += 20;
  await records.deliveries.claim('run_quick', time.now, time.now + 60_000, 9);
  const attempt = { at: time.now, ms: 1, status: 500, error: 'no', request: {}, response: null };
  const outcome = { state: 'failed', nextAt: 0, queue: { nextAt: 0 }, disable: 'never' } as const;
  expect(await records.deliveries.record('run_slow', delivery, attempt, outcome, time.now + 60_000)).toBe(false);
  expect(await records.deliveries.get(DEFAULT_WORKSPACE, id, delivery.id)).toMatchObject({
    state: 'waiting',
    attempts: 0,
  });
  expect(await records.webhooks.get(DEFAULT_WORKSPACE, id)).toMatchObject({ enabled: true });
});

test('a message that cannot be built is retried a few times, then given up, and blocks no other', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  const { id } = await it.records.webhooks.create(hook('a'), 'owner');
  const message = { workspaceId: DEFAULT_WORKSPACE, webhookId: id, messageId: 'digest_1', kind: 'digest' } as const;
  await it.records.deliveries.queue({ ...message, content: { nonsense: true } });
  expect(await it.records.deliveries.queue({ ...message, content: {} })).toBeNull();
  await it.records.alerts.raise(alert('1'));
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1']);
  for (let attempt = 1; attempt < 5; attempt += 1) {
    it.time.now += HOUR_MS;
    await deliverer(it, network).drained();
  }
  const [, digest] = await it.records.deliveries.list(DEFAULT_WORKSPACE, id, { limit: 2, before: null });
  expect(digest).toMatchObject({ state: 'failed', attempts: 5 });
});

test('a temporary read failure of the store loses no delivery', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.alerts.raise(alert('1'));
  const { alerts } = it.records;
  const busy = { ...alerts, get: () => Promise.reject(new Error('database is locked')) };
  await deliverer({ ...it, records: { ...it.records, alerts: busy } }, network).drained();
  expect(network.received).toEqual([]);
  it.time.now += 10_000;
  await deliverer(it, network).drained();
  expect(network.titles('a.test')).toEqual(['1']);
});

test('the next process sends what a closing process leaves, and it does not count as a failure', async () => {
  const it = await openTemporaryRecords();
  const network = new Network();
  const { id } = await it.records.webhooks.create(hook('a'), 'owner');
  await it.records.alerts.raise(alert('1'));
  network.answers.set('a.test', ['closing']);
  const closing = deliverer(it, network);
  network.underWay = () => void closing.close();
  await closing.drained();
  expect(await it.records.webhooks.get(DEFAULT_WORKSPACE, id)).toMatchObject({ failingSince: null });
  network.underWay = () => {};
  await deliverer(it, network, 'run_2').drained();
  expect(network.titles('a.test')).toEqual(['1']);
  const [sent] = await it.records.deliveries.list(DEFAULT_WORKSPACE, id, { limit: 1, before: null });
  expect(sent).toMatchObject({ state: 'delivered', attempts: 1 });
});
