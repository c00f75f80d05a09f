import { expect, test } from 'vitest';
import type { Alert } from '../../domain/alerts/alert.ts';
import { WEBHOOK_KINDS, WEBHOOK_TYPES, type WebhookType } from '../../domain/alerts/webhook-kinds.ts';
import { execute, openTemporaryRecords, TEST_NOW } from '../../../test/support/temporary-records.ts';
import type { Records } from './records.ts';
import { DAY_MS, MINUTE_MS } from '../../domain/time/units.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const alert = (episode: string, changes: Partial<Alert> = {}): Alert => ({
  type: 'COST_SPIKE',
  severity: 'warning',
  workspaceId: DEFAULT_WORKSPACE,
  title: episode,
  message: 'Something costs more.',
  episode,
  createdAt: TEST_NOW,
  period: null,
  scope: {},
  value: null,
  threshold: null,
  evidence: {},
  ...changes,
});

async function webhook({ webhooks }: Records, name: string, type: WebhookType = 'CUSTOM'): Promise<string> {
  const events = ['COST_SPIKE', 'WEBHOOK_DISABLED'] as const;
  const input = { workspaceId: DEFAULT_WORKSPACE, name, url: `https://${name}.test/`, type, events, secret: null };
  return (await webhooks.create({ ...input, digest: 'off' }, 'owner')).id;
}

const claimed = async ({ deliveries }: Records, now: number, runner = 'run_1', limit = 9): Promise<string[]> =>
  (await deliveries.claim(runner, now, now + MINUTE_MS, limit)).map(({ webhookId }) => webhookId);

const attempt = { at: TEST_NOW, ms: 1, status: 500, error: 'no', request: {}, response: null };
const given = { state: 'failed', nextAt: 0, queue: { nextAt: 0 }, disable: null } as const;

test('a clock that was a day ahead delays nothing once it is right', async () => {
  const { records, time } = await openTemporaryRecords();
  const { alerts, deliveries, jobs } = records;
  const [first, second] = [await webhook(records, 'a'), await webhook(records, 'b')];
  const early = TEST_NOW + DAY_MS;
  time.now = early;
  await alerts.raise(alert('1'));
  // One is claimed and never released, the other put off.
  expect(await claimed(records, early + 100, 'run_dead', 1)).toEqual([first]);
  expect(await claimed(records, early + 100)).toEqual([second]);
  const delivery = await deliveries.next(second, early + 100);
  if (!delivery) throw new Error('nothing is due');
  const nextAt = early + 5 * MINUTE_MS;
  const later = { state: 'waiting', nextAt, queue: { nextAt }, disable: null } as const;
  expect(await deliveries.record('run_1', delivery, attempt, later, early + MINUTE_MS)).toBe(true);
  await deliveries.release('run_1', second);
  const digest = (runner: string, now: number) =>
    jobs.claim({ name: 'digest', runner, now, until: now + MINUTE_MS, dueBefore: now - MINUTE_MS });
  const claim = await digest('run_1', early);
  if (claim) await jobs.done(claim);

  time.now = TEST_NOW;
  expect((await claimed(records, TEST_NOW)).toSorted()).toEqual([first, second].toSorted());
  expect(await deliveries.next(first, TEST_NOW)).toMatchObject({ state: 'waiting' });
  expect(await digest('run_2', TEST_NOW)).not.toBeNull();
  expect(await digest('run_3', TEST_NOW)).toBeNull();
});

test('a clock that steps back by an hour delays no new delivery', async () => {
  const { records, time } = await openTemporaryRecords();
  const id = await webhook(records, 'a');
  await records.alerts.raise(alert('1'));
  const now = time.now - 60 * MINUTE_MS;
  expect(await claimed(records, now)).toEqual([id]);
  expect(await records.deliveries.next(id, now)).not.toBeNull();
  // Whoever has it keeps it, by clocks that differ a little too.
  expect(await claimed(records, now - MINUTE_MS / 2, 'run_2')).toEqual([]);
});

test('the last queue served is the last to be served again', async () => {
  const { records, time } = await openTemporaryRecords();
  const ids = [await webhook(records, 'a'), await webhook(records, 'b'), await webhook(records, 'c')];
  await records.alerts.raise(alert('1'));
  const turns: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const [id = ''] = await claimed(records, (time.now += 10), 'run_1', 1);
    turns.push(id);
    await records.deliveries.release('run_1', id);
  }
  expect(turns).toEqual([...ids, ...ids]);
});

test('the end of an alert waits until its start is sent', async () => {
  const { records, time } = await openTemporaryRecords();
  const { alerts, deliveries } = records;
  const id = await webhook(records, 'a');
  await alerts.raise(alert('1'));
  expect(await claimed(records, time.now)).toEqual([id]);
  const begin = await deliveries.next(id, time.now);
  if (!begin) throw new Error('nothing is due');
  const aside = { state: 'waiting', nextAt: time.now + MINUTE_MS, queue: { nextAt: 0 }, disable: null } as const;
  await deliveries.record('run_1', begin, attempt, aside, time.now + MINUTE_MS);
  await alerts.resolve(DEFAULT_WORKSPACE, '1', time.now);
  await deliveries.release('run_1', id);
  expect(await deliveries.next(id, time.now)).toBeNull();
  expect(await claimed(records, time.now)).toEqual([]);
  time.now += 2 * MINUTE_MS;
  await claimed(records, time.now);
  expect(await deliveries.next(id, time.now)).toMatchObject({ id: begin.id });
  await deliveries.record('run_1', { ...begin, attempts: 1 }, attempt, given, time.now + MINUTE_MS);
  expect(await deliveries.next(id, time.now)).toMatchObject({ kind: 'resolved' });
});

test('the end is sent only to kinds that keep an incident open', async () => {
  const { records } = await openTemporaryRecords();
  const ids = new Map<string, string>();
  for (const type of WEBHOOK_TYPES) ids.set(await webhook(records, type.toLowerCase(), type), type);
  await records.alerts.raise(alert('1'));
  await records.alerts.resolve(DEFAULT_WORKSPACE, '1', TEST_NOW);
  const notices: string[] = [];
  for (const [id, type] of ids)
    for (const { kind } of await records.deliveries.list(DEFAULT_WORKSPACE, id, { limit: 9, before: null }))
      if (kind === 'resolved') notices.push(type);
  expect(notices).toEqual(WEBHOOK_TYPES.filter((type) => WEBHOOK_KINDS[type].sendsEnd));
  expect(notices).toEqual(expect.arrayContaining(['PAGERDUTY', 'CUSTOM']));
  expect(notices).not.toContain('SLACK');
});

test('deliveries given up for a disabled webhook have the reason', async () => {
  const { records, time } = await openTemporaryRecords();
  const { alerts, deliveries, webhooks } = records;
  const [id, other] = [await webhook(records, 'a'), await webhook(records, 'b')];
  await alerts.raise(alert('1'));
  await webhooks.update(DEFAULT_WORKSPACE, id, { enabled: false }, 'owner');
  expect(await deliveries.expire(time.now + 1)).toBe(1);
  const [expired] = await deliveries.list(DEFAULT_WORKSPACE, id, { limit: 9, before: null });
  expect(expired).toMatchObject({ state: 'failed', attempts: 1 });
  expect((await deliveries.attempts([expired?.id ?? ''])).get(expired?.id ?? '')).toMatchObject([
    { error: expect.stringContaining('disabled'), status: null, request: {} },
  ]);
  expect(await deliveries.list(DEFAULT_WORKSPACE, other, { limit: 9, before: null })).toMatchObject([
    { state: 'waiting', attempts: 0 },
  ]);
});

test('the alert about a disabled webhook is resolved and sent when the webhook is enabled or removed', async () => {
  const { records, time } = await openTemporaryRecords();
  const { alerts, deliveries, webhooks } = records;
  const [one, two, watcher] = [await webhook(records, 'a'), await webhook(records, 'b'), await webhook(records, 'c')];
  await alerts.raise(alert('1'));
  await claimed(records, time.now);
  for (const id of [one, two]) {
    const delivery = await deliveries.next(id, time.now);
    if (!delivery) throw new Error('nothing is due');
    await deliveries.record('run_1', delivery, attempt, { ...given, disable: 'It is gone.' }, time.now + MINUTE_MS);
  }
  const open = async (): Promise<string[]> =>
    (await alerts.open(DEFAULT_WORKSPACE, ['WEBHOOK_DISABLED'])).map(({ scope }) => scope['webhook'] ?? '');
  expect(await open()).toEqual([one, two]);
  await webhooks.update(DEFAULT_WORKSPACE, one, { enabled: true }, 'owner');
  expect(await open()).toEqual([two]);
  await webhooks.remove(DEFAULT_WORKSPACE, two, 'owner');
  expect(await open()).toEqual([]);
  const notices = await deliveries.list(DEFAULT_WORKSPACE, watcher, { limit: 9, before: null });
  expect(notices.filter(({ kind }) => kind === 'resolved')).toHaveLength(2);
});

test('a removed webhook is deleted with all its deliveries', async () => {
  const { records, time, db } = await openTemporaryRecords();
  const id = await webhook(records, 'a');
  await records.alerts.raise(alert('1'));
  await claimed(records, time.now);
  const delivery = await records.deliveries.next(id, time.now);
  if (!delivery) throw new Error('nothing is due');
  await records.deliveries.record('run_1', delivery, attempt, given, time.now + MINUTE_MS);
  await records.webhooks.remove(DEFAULT_WORKSPACE, id, 'owner');
  for (const table of ['webhooks', 'deliveries', 'delivery_attempts'])
    expect([table, await execute(db, `SELECT * FROM ${table}`)]).toEqual([table, []]);
});

test('a page of deliveries starts only at a delivery of the webhook', async () => {
  const { records } = await openTemporaryRecords();
  const [one, two] = [await webhook(records, 'a'), await webhook(records, 'b')];
  await records.alerts.raise(alert('1'));
  const [other] = await records.deliveries.list(DEFAULT_WORKSPACE, two, { limit: 9, before: null });
  for (const before of [other?.id ?? '', 'dl_nothing'])
    await expect(records.deliveries.list(DEFAULT_WORKSPACE, one, { limit: 9, before })).rejects.toThrow(before);
});

test('the newest ten thousand deliveries of a webhook are kept, and those younger than requested', async () => {
  const { records, db, time } = await openTemporaryRecords();
  const [id, other] = [await webhook(records, 'a'), await webhook(records, 'b')];
  await records.alerts.raise(alert('1'));
  const insertMany = (count: number, prefix: string, webhookId: string): string =>
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO deliveries (id, workspace_id, webhook_id, message_id, round, kind, state, attempts, next_at, created_at, ended_at)
     SELECT 'dl_${prefix}' || i, '${DEFAULT_WORKSPACE}', '${webhookId}', '${prefix}' || i, 1, 'test', 'delivered', 1, 0, i, i FROM n`;
  await execute(
    db,
    insertMany(10_005, 'a', id),
    insertMany(9, 'b', other),
    `INSERT INTO delivery_attempts VALUES ('dl_a1', 1, 1, 1, 200, NULL, '{}', NULL)`,
  );
  expect(await records.deliveries.prune(0, 3)).toBe(3);
  expect(await records.deliveries.prune(0, 1_000)).toBe(2);
  expect(await records.deliveries.prune(0, 1_000)).toBe(0);
  expect((await records.deliveries.attempts(['dl_a1'])).get('dl_a1')).toEqual([]);
  // By age all that ended, and nothing that waits.
  expect(await records.deliveries.prune(time.now, 20_000)).toBe(10_009);
  expect(await records.deliveries.waiting()).toBe(2);
});
