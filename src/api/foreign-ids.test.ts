import { afterAll, beforeAll, expect, test } from 'vitest';
import { addPerson, claimLedger, type Person } from '../../test/people.ts';
import { BODIES, DECIDED } from '../../test/rights.ts';
import { type Asked, openTestLedger, type TestLedger } from '../../test/test-ledger.ts';
import { newAdminKey } from '../../test/support/temporary-records.ts';
import { NO_CONTEXT } from '../domain/usage/call-context.ts';
import type { ErrorShape } from '../contract/errors.ts';

/** Ids of a workspace's records, by the path segment before the parameter. */
type Ids = Readonly<Record<string, string>>;

let testLedger: TestLedger;
let here: Person;
let there: Person;
let other: string;
let ids: Ids;
let adminToken: string;

beforeAll(async () => {
  testLedger = await openTestLedger();
  here = await claimLedger(testLedger);
  other = (await testLedger.ledger.records.workspaces.create({ name: 'another' }, 'owner')).id;
  there = await addPerson(testLedger, 'Thea', 'owner', other);
  adminToken = await testLedger.createToken(['admin']);
  ids = await fill(other);
});
afterAll(() => testLedger.close());

/** Creates one record of each kind. */
async function fill(workspaceId: string): Promise<Ids> {
  const { records } = testLedger.ledger;
  const post = (path: string, body: object): Promise<{ id: string }> =>
    testLedger.json(path, { method: 'POST', body, headers: { 'x-svc-workspace': workspaceId } });
  const hook = { name: 'ops', url: 'https://hooks.test/x', type: 'CUSTOM', events: ['UNPRICED_MODEL'] };
  const webhook = (await post('/api/mcp/webhooks', hook)).id;
  const alert = await records.alerts.raise({
    type: 'UNPRICED_MODEL',
    severity: 'warning',
    workspaceId,
    title: 'title',
    message: 'message',
    episode: 'unpriced:x',
    createdAt: testLedger.time.now,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  });
  const [delivery] = await records.deliveries.list(workspaceId, webhook, { limit: 1, before: null });
  const context = { ...NO_CONTEXT, session: 'session-0123456789' };
  const entry = testLedger.entry({ workspaceId, uncertainReason: 'crash', cost: null, context });
  await testLedger.ship([entry]);
  const member = await addPerson(testLedger, 'Mona', 'viewer', workspaceId);
  const limit = { scope: { kind: 'workspace' }, unit: 'calls', amount: 5, window: 'day', action: 'block' };
  const key = (await testLedger.createKey('theirs', workspaceId)).id;
  return {
    'admin-keys': (await records.adminKeys.create(newAdminKey({ workspaceId }), 'owner')).id,
    invitations: (await post('/api/manage/invitations', { role: 'viewer' })).id,
    keys: key,
    policies: key,
    limits: (await post('/api/manage/limits', limit)).id,
    members: member.id,
    mutes: (await post('/api/manage/mutes', { type: 'COST_SPIKE', reason: 'a test' })).id,
    views: (await post('/api/manage/views', { name: 'theirs', address: '/explore' })).id,
    contracts: (await post('/api/manage/contracts', { multiplier: '0.5' })).id,
    'bill-lines': (await post('/api/manage/bill-lines', { provider: 'openai', kind: 'credit', name: 'x', amount: 1 }))
      .id,
    prices: (
      await post('/api/manage/prices', {
        provider: 'anthropic',
        model: 'm',
        usdPerMillion: { input: '3', output: '15' },
      })
    ).id,
    tokens: (await post('/api/manage/tokens', { name: 'theirs' })).id,
    subscriptions: (await post('/api/manage/subscriptions', { plan: 'max_5x' })).id,
    webhooks: webhook,
    deliveries: delivery?.id ?? '',
    alerts: alert?.id ?? '',
    entries: entry.callId,
    sessions: context.session,
    workspaces: workspaceId,
  };
}

/** Orders deletions last, and parts of a record before the record, so that there is something to delete. */
const lateness = (name: string): number => (name.startsWith('DELETE') ? 1_000 - name.length : 0);
/** Providers belong to the whole installation. */
const isOfWorkspace = (name: string): boolean => name.includes('{') && !name.includes('/providers/');
const NAMED = DECIDED.filter(([name, right]) => isOfWorkspace(name) && ['read', 'work', 'manage'].includes(right))
  .map(([name]) => name)
  .toSorted((a, b) => lateness(a) - lateness(b));

function pathOf(name: string, of: Ids): string {
  return (name.split(' ')[1] ?? '').replaceAll(/([\w-]+)\/\{\w+\}/g, (_, kind: string) => `${kind}/${of[kind]}`);
}

async function ask(name: string, of: Ids, asking: Pick<Asked, 'token' | 'headers'>): Promise<[number, string]> {
  const method = name.split(' ')[0] ?? '';
  const body = BODIES[name] ?? (method === 'GET' ? undefined : {});
  const answer = await testLedger.ask(pathOf(name, of), { ...asking, method, ...(body && { body }) });
  const text = answer.ok ? '' : ((await answer.json()) as ErrorShape).error;
  if (answer.ok) await answer.body?.cancel();
  return [answer.status, text];
}

test('each kind of record with an ID in its path exists', () => {
  for (const name of NAMED) expect(pathOf(name, ids)).not.toMatch(/undefined|\/$|\/\//);
});

test.each(NAMED)('%s answers for another workspace’s record as for an unknown one', async (name) => {
  const none = Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind, id.replace(/.{6}$/, 'zzzzzz')]));
  const last = await testLedger.ledger.records.audit.list({ workspaceId: null, limit: 1, before: null });
  for (const asking of [{ token: null, headers: here.headers }, { token: adminToken }]) {
    const [status, text] = await ask(name, ids, asking);
    const [noStatus, noText] = await ask(name, none, asking);
    expect({ name, status }).toEqual({ name, status: 404 });
    let expected = noText;
    for (const [kind, id] of Object.entries(none)) expected = expected.replaceAll(id, ids[kind] ?? '');
    expect([status, text]).toEqual([noStatus, expected]);
  }
  expect(await testLedger.ledger.records.audit.list({ workspaceId: null, limit: 1, before: null })).toEqual(last);
});

test.each(NAMED)('%s finds it for the owner of its workspace', async (name) => {
  const [status, text] = await ask(name, ids, { token: null, headers: { ...there.headers, 'x-svc-workspace': other } });
  expect({ name, text, found: status !== 404 && status !== 500 }).toEqual({ name, text, found: true });
  expect([401, 403, 400]).not.toContain(status);
});

test.each([
  ['/api/manage/keys', () => ({ name: 'n', provider: 'anthropic', providerKeyOf: ids['keys'] })],
  ['/api/manage/subscriptions', () => ({ plan: 'max_5x', tokens: [ids['tokens']] })],
  ['/api/manage/providers/anthropic/test', () => ({ model: 'claude-x', keyId: ids['keys'] })],
  [
    '/api/manage/limits',
    () => ({
      scope: { kind: 'key', keyId: ids['keys'] },
      unit: 'calls',
      amount: 5,
      window: 'day',
      action: 'block',
    }),
  ],
])('POST %s accepts no ID of another workspace in its body', async (path, body) => {
  const answer = await testLedger.ask(path, { token: null, headers: here.headers, method: 'POST', body: body() });
  expect(answer.ok).toBe(false);
  expect([400, 404, 422]).toContain(answer.status);
});

test('lists contain only records of their own workspace', async () => {
  const known = Object.values(ids).filter((id) => id !== '');
  for (const [name] of DECIDED.filter(
    ([one, right]) => one.startsWith('GET') && right === 'read' && !one.includes('{'),
  )) {
    if (name.endsWith('/live')) continue;
    const path = `${name.split(' ')[1]}${name.endsWith('by-tag') ? '?tagKey=team' : ''}`;
    const answer = await testLedger.ask(path, { token: null, headers: here.headers });
    const text = await answer.text();
    for (const id of known) expect({ name, id, holds: text.includes(id) }).toEqual({ name, id, holds: false });
  }
});
