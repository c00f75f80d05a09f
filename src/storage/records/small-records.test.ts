import { expect, test } from 'vitest';
import type { Alert } from '../../domain/alerts/alert.ts';
import {
  execute,
  openTemporaryRecords,
  rateCard,
  temporaryFolder,
  TEST_SECRET,
} from '../../../test/support/temporary-records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';
import type { NewWebhook } from './webhooks.ts';

const hook: NewWebhook = {
  workspaceId: DEFAULT_WORKSPACE,
  name: 'chat',
  url: 'https://hooks.test/services/T0/B0/xyz?a=1',
  type: 'SLACK',
  events: ['COST_SPIKE', 'BUDGET_WARNING'],
  secret: 'whsec_0123456789',
  digest: 'off',
};

test('a new webhook is returned unchanged and enabled, without its secret', async () => {
  const { records } = await openTemporaryRecords();
  const webhook = await records.webhooks.create(hook, 'owner');
  const { secret, ...visible } = hook;
  expect(webhook).toMatchObject({ ...visible, enabled: true });
  expect(webhook.id).toMatch(/^wh_/);
  expect(JSON.stringify(webhook)).not.toContain(secret);
  expect(await records.webhooks.list(DEFAULT_WORKSPACE)).toEqual([webhook]);
  expect(await records.webhooks.get(DEFAULT_WORKSPACE, webhook.id)).toEqual(webhook);
});

test('a view with the same name gets the new address, and views are sorted by name', async () => {
  const { records } = await openTemporaryRecords();
  const save = (name: string, address: string) =>
    records.savedViews.save(DEFAULT_WORKSPACE, { name, address }, 'owner');
  const first = await save('Teams', '/explore?by=tag%3Ateam');
  await save('agents', '/explore?by=agent');
  expect(await save(' teams ', '/explore?by=tag%3Ateam&range=7d')).toMatchObject({ id: first.id, name: 'teams' });
  const views = await records.savedViews.list(DEFAULT_WORKSPACE);
  expect(views.map(({ name, address }) => [name, address])).toEqual([
    ['agents', '/explore?by=agent'],
    ['teams', '/explore?by=tag%3Ateam&range=7d'],
  ]);
});

test.each([
  '//other.example/',
  'https://other.example/',
  '/explore?a b',
  'explore',
  '/a/b',
  `/explore?${'x'.repeat(4_000)}`,
])('a view of %s is refused: it is no page with filters', async (address) => {
  const { records } = await openTemporaryRecords();
  const saved = records.savedViews.save(DEFAULT_WORKSPACE, { name: 'x', address }, 'owner');
  await expect(saved).rejects.toMatchObject({ param: 'address' });
});

test('a price replaces the one of the same model and date, and both can still be explained', async () => {
  const { records } = await openTemporaryRecords();
  await records.prices.set(DEFAULT_WORKSPACE, rateCard('m', { version: 'user/m#1' }), 'owner');
  await records.prices.set(DEFAULT_WORKSPACE, rateCard('m', { from: 5, version: 'user/m#2' }), 'owner');
  const newest = await records.prices.set(DEFAULT_WORKSPACE, rateCard('m', { version: 'user/m#3' }), 'owner');
  const versions = (await records.prices.list(DEFAULT_WORKSPACE)).map(({ card }) => card.version);
  expect(versions).toEqual(['user/m#3', 'user/m#2']);
  await records.prices.remove(DEFAULT_WORKSPACE, newest.id, 'owner');
  expect(await records.prices.all()).toEqual([
    { workspaceId: DEFAULT_WORKSPACE, card: rateCard('m', { from: 5, version: 'user/m#2' }) },
  ]);
  for (const version of ['user/m#1', 'user/m#2', 'user/m#3'])
    expect((await records.priceCards.get(version))?.version).toBe(version);
});

test('a price card keeps its first content', async () => {
  const { records } = await openTemporaryRecords();
  await records.priceCards.keep([rateCard('a', { version: 'v' })]);
  await records.priceCards.keep([rateCard('b', { version: 'v' }), rateCard('c', { version: 'w' })]);
  expect((await records.priceCards.get('v'))?.model).toBe('a');
  expect((await records.priceCards.get('w'))?.model).toBe('c');
  expect(await records.priceCards.get('absent')).toBeNull();
});

const alert: Alert = {
  type: 'OVERRUN',
  severity: 'critical',
  workspaceId: DEFAULT_WORKSPACE,
  title: 'Overrun',
  message: 'A call cost more than it held.',
  episode: 'overrun:1',
  createdAt: 1_000,
  scope: { provider: 'openai' },
  value: 1.5,
  threshold: null,
  period: null,
  evidence: { calls: ['a', 1] },
};

test('an alert is stored once per episode', async () => {
  const { records } = await openTemporaryRecords();
  const stored = await records.alerts.raise(alert);
  expect(stored).toEqual({ ...alert, id: stored?.id, readAt: null, resolvedAt: null });
  expect(stored?.id).toMatch(/^al_/);
  expect(await records.alerts.raise({ ...alert, createdAt: 2_000 })).toBeNull();
  await records.alerts.raise({ ...alert, episode: 'overrun:2', createdAt: 3_000 });
  await records.alerts.markRead(DEFAULT_WORKSPACE, stored?.id ?? '', 'owner');
  const list = (limit: number, unreadOnly: boolean): Promise<string[]> =>
    records.alerts.list(DEFAULT_WORKSPACE, { limit, unreadOnly }).then((rows) => rows.map((row) => row.episode));
  expect(await list(10, false)).toEqual(['overrun:2', 'overrun:1']);
  expect(await list(1, false)).toEqual(['overrun:2']);
  expect(await list(10, true)).toEqual(['overrun:2']);
});

test('an unread alert gets the newer figures of its episode, a read one does not', async () => {
  const { records } = await openTemporaryRecords();
  const { id = '' } = (await records.alerts.raise(alert)) ?? {};
  const newer = {
    title: 'Again',
    message: 'Another one did.',
    value: 2.5,
    threshold: 1,
    period: null,
    evidence: { calls: ['b', 2] },
  };
  await records.alerts.raise({ ...alert, ...newer, createdAt: 2_000 });
  const unread = { ...alert, ...newer, id, readAt: null, resolvedAt: null };
  expect(await records.alerts.unread('OVERRUN')).toEqual([unread]);
  const read = await records.alerts.markRead(DEFAULT_WORKSPACE, id, 'tok_1');
  expect(read).toEqual({ ...unread, readAt: expect.any(Number) });
  await records.alerts.raise(alert);
  expect(await records.alerts.markRead(DEFAULT_WORKSPACE, id, 'tok_2')).toEqual(read);
  expect(await records.alerts.unread('OVERRUN')).toEqual([]);
  const audit = await records.audit.list({ workspaceId: DEFAULT_WORKSPACE, limit: 9, before: null });
  expect(audit).toMatchObject([{ action: 'alert.read', subject: id, actor: 'tok_1' }]);
});

test('an alert of another workspace is not found', async () => {
  const { records } = await openTemporaryRecords();
  const { id = '' } = (await records.alerts.raise(alert)) ?? {};
  await expect(records.alerts.markRead('ws_other', id, 'owner')).rejects.toMatchObject({ type: 'not_found' });
});

test('the oldest alerts are deleted when a workspace has ten thousand', async () => {
  const { records, db } = await openTemporaryRecords();
  await execute(
    db,
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
    INSERT INTO alerts (id, workspace_id, episode, type, severity, title, message, scope, evidence, created_at)
    SELECT 'al_' || i, '${DEFAULT_WORKSPACE}', i, 'OVERRUN', 'info', '', '', '{}', '{}', i FROM n`,
  );
  await records.alerts.raise({ ...alert, createdAt: 20_000 });
  const rows = await records.alerts.list(DEFAULT_WORKSPACE, { limit: 20_000, unreadOnly: false });
  expect(rows.length).toBe(10_000);
  expect(rows.at(-1)?.createdAt).toBe(2);
});

test('a setting is stored; internal settings cannot be set', async () => {
  const { records } = await openTemporaryRecords();
  expect(await records.settings.get('install_id')).toBeNull();
  await records.settings.set('install_id', 'a', 'system');
  await records.settings.set('install_id', 'b', 'system');
  expect(await records.settings.get('install_id')).toBe('b');
  await expect(records.settings.set('secret.check', 'x', 'owner')).rejects.toMatchObject({ type: 'invalid' });
});

test('records of one millisecond are listed in the order of creation', async () => {
  const { records } = await openTemporaryRecords(temporaryFolder(), TEST_SECRET, 0);
  const names = Array.from({ length: 12 }, (_, index) => `hook ${index}`);
  for (const name of names) await records.webhooks.create({ ...hook, name }, 'owner');
  expect((await records.webhooks.list(DEFAULT_WORKSPACE)).map(({ name }) => name)).toEqual(names);
});

test('the newest problem of a call is kept for its workspace, until it is over or old', async () => {
  const { records } = await openTemporaryRecords();
  const { callProblems } = records;
  const first = { callId: 'call_1', problem: 'OpenAI answered 404.', asks: 1, askedAt: 5, dueAt: 9 };
  await callProblems.note(DEFAULT_WORKSPACE, first);
  const last = { ...first, problem: 'OpenAI answered 401.', asks: 2, askedAt: 10, dueAt: null };
  await callProblems.note(DEFAULT_WORKSPACE, last);
  const find = (workspace: string) => callProblems.find(workspace, ['call_1', 'call_2']);
  expect(await find(DEFAULT_WORKSPACE)).toEqual(new Map([['call_1', last]]));
  expect(await find('ws_other')).toEqual(new Map());
  await callProblems.clear('ws_other', 'call_1');
  await callProblems.prune(10);
  expect((await find(DEFAULT_WORKSPACE)).size).toBe(1);
  await callProblems.prune(11);
  await callProblems.note(DEFAULT_WORKSPACE, first);
  await callProblems.clear(DEFAULT_WORKSPACE, 'call_1');
  expect((await find(DEFAULT_WORKSPACE)).size).toBe(0);
});
