import type { NewBillLine } from '../../domain/billing/bill-line.ts';
import type { NewContract } from './contracts.ts';
import { expect, test } from 'vitest';
import type { Alert } from '../../domain/alerts/alert.ts';
import { OPEN_POLICY } from '../../domain/policy/policy.ts';
import {
  execute,
  newAdminKey,
  newKey,
  newLimit,
  newMute,
  newSubscription,
  openTemporaryRecords,
  rateCard,
  type TemporaryRecords,
  temporaryFolder,
} from '../../../test/support/temporary-records.ts';
import type { Records } from './records.ts';
import { DEFAULT_WORKSPACE } from './context.ts';

const alertOf = (workspaceId: string): Alert => ({
  type: 'UNPRICED_MODEL',
  severity: 'warning',
  workspaceId,
  title: 'title',
  message: 'message',
  episode: 'unpriced:x',
  createdAt: 1,
  scope: {},
  value: null,
  threshold: null,
  period: null,
  evidence: {},
});

const CONTRACT: NewContract = {
  scope: { provider: 'openai', model: null, keyId: null, tag: null },
  from: null,
  until: null,
  terms: { kind: 'multiplier', multiplier: { num: 19, den: 25 } },
};

const CREDIT: NewBillLine = {
  workspaceId: DEFAULT_WORKSPACE,
  provider: 'openai',
  kind: 'credit',
  name: 'one',
  amount: 1,
  from: 0,
  until: null,
};

/** One record of each kind in the default workspace, and another workspace beside it. */
async function twoWorkspaces(): Promise<
  TemporaryRecords & {
    other: string;
    ids: Record<
      | 'key'
      | 'token'
      | 'webhook'
      | 'price'
      | 'contract'
      | 'billLine'
      | 'limit'
      | 'subscription'
      | 'mute'
      | 'view'
      | 'adminKey',
      string
    >;
  }
> {
  const temporary = await openTemporaryRecords();
  const { records } = temporary;
  const other = (await records.workspaces.create({ name: 'other' }, 'owner')).id;
  const { key } = await records.keys.create(newKey('one'), 'owner');
  const token = { workspaceId: DEFAULT_WORKSPACE, name: 'one', scopes: [], expiresAt: null };
  const hook = { workspaceId: DEFAULT_WORKSPACE, name: 'one', url: 'https://x.test/', secret: null };
  const ids = {
    key: key.id,
    token: (await records.tokens.create(token, 'owner')).token.id,
    webhook: (await records.webhooks.create({ ...hook, type: 'CUSTOM', events: ['OVERRUN'], digest: 'off' }, 'owner'))
      .id,
    price: (await records.prices.set(DEFAULT_WORKSPACE, rateCard('m'), 'owner')).id,
    contract: (await records.contracts.set(DEFAULT_WORKSPACE, CONTRACT, 'owner')).contract.id,
    billLine: (await records.billLines.add(CREDIT, 'owner')).id,
    limit: (await records.limits.create(newLimit(), 'owner')).id,
    subscription: (await records.subscriptions.create(newSubscription(), 'owner')).id,
    mute: (await records.mutes.create(newMute({ type: 'COST_SPIKE' }), 'owner')).id,
    view: (await records.savedViews.save(DEFAULT_WORKSPACE, VIEW, 'owner')).id,
    adminKey: (await records.adminKeys.create(newAdminKey(), 'owner')).id,
  };
  await records.alerts.raise(alertOf(DEFAULT_WORKSPACE));
  return { ...temporary, other, ids };
}

const VIEW = { name: 'one', address: '/explore' };

type Ids = Awaited<ReturnType<typeof twoWorkspaces>>['ids'];

test.each<[string, (records: Records, other: string, ids: Ids) => Promise<unknown>]>([
  ['keys.get', (r, other, ids) => r.keys.get(other, ids.key)],
  ['keys.update', (r, other, ids) => r.keys.update(other, ids.key, { name: 'x' }, 'owner')],
  ['keys.replaceProviderKey', (r, other, ids) => r.keys.replaceProviderKey(other, ids.key, 'sk-x', 'owner')],
  ['keys.setPolicy', (r, other, ids) => r.keys.setPolicy(other, ids.key, OPEN_POLICY, 'owner')],
  ['keys.revoke', (r, other, ids) => r.keys.revoke(other, ids.key, 'owner')],
  ['keys.providerKey', (r, other, ids) => r.keys.providerKey(other, ids.key)],
  [
    'keys.create sharing',
    (r, other, ids) => r.keys.create(newKey('x', { workspaceId: other, source: { providerKeyOf: ids.key } }), 'owner'),
  ],
  ['limits.get', (r, other, ids) => r.limits.get(other, ids.limit)],
  ['limits.update', (r, other, ids) => r.limits.update(other, ids.limit, { amount: 1 }, 'owner')],
  ['limits.raise', (r, other, ids) => r.limits.raise(other, ids.limit, null, 'owner')],
  ['limits.remove', (r, other, ids) => r.limits.remove(other, ids.limit, 'owner')],
  [
    'limits.create for its key',
    (r, other, ids) =>
      r.limits.create(newLimit({ workspaceId: other, scope: { kind: 'key', keyId: ids.key } }), 'owner'),
  ],
  ['tokens.get', (r, other, ids) => r.tokens.get(other, ids.token)],
  ['tokens.revoke', (r, other, ids) => r.tokens.revoke(other, ids.token, 'owner')],
  ['adminKeys.get', (r, other, ids) => r.adminKeys.get(other, ids.adminKey)],
  ['adminKeys.pause', (r, other, ids) => r.adminKeys.pause(other, ids.adminKey, null, 'owner')],
  ['adminKeys.resume', (r, other, ids) => r.adminKeys.resume(other, ids.adminKey, 'owner')],
  ['adminKeys.remove', (r, other, ids) => r.adminKeys.remove(other, ids.adminKey, 'owner')],
  ['webhooks.get', (r, other, ids) => r.webhooks.get(other, ids.webhook)],
  ['savedViews.remove', (r, other, ids) => r.savedViews.remove(other, ids.view, 'owner')],
  ['mutes.remove', (r, other, ids) => r.mutes.remove(other, ids.mute, 'owner')],
  ['prices.remove', (r, other, ids) => r.prices.remove(other, ids.price, 'owner')],
  ['contracts.remove', (r, other, ids) => r.contracts.remove(other, ids.contract, 'owner')],
  ['billLines.remove', (r, other, ids) => r.billLines.remove(other, ids.billLine, 'owner')],
  ['subscriptions.end', (r, other, ids) => r.subscriptions.end(other, ids.subscription, '2026-01-02', 'owner')],
  [
    'subscriptions.create for its token',
    (r, other, ids) => r.subscriptions.create(newSubscription({ workspaceId: other, tokenIds: [ids.token] }), 'owner'),
  ],
])('%s answers for another workspace’s record as for none, and changes nothing', async (_, attempt) => {
  const { records, other, ids, db } = await twoWorkspaces();
  const everything = (): Promise<unknown[]> =>
    Promise.all(
      [
        'wrapped_keys',
        'provider_keys',
        'access_tokens',
        'webhooks',
        'custom_prices',
        'contracts',
        'bill_lines',
        'limits',
        'subscriptions',
        'mutes',
        'saved_views',
        'admin_keys',
        'audit',
      ].map((table) => execute(db, `SELECT * FROM ${table} ORDER BY 1`)),
    );
  const before = await everything();
  await expect(attempt(records, other, ids)).rejects.toMatchObject({ type: 'not_found' });
  expect(await everything()).toEqual(before);
});

test('lists have only records of their own workspace', async () => {
  const { records, other } = await twoWorkspaces();
  const { keys, tokens, webhooks, prices, contracts, billLines, limits, subscriptions, mutes, savedViews, adminKeys } =
    records;
  const kinds = [
    keys,
    tokens,
    webhooks,
    prices,
    contracts,
    billLines,
    limits,
    subscriptions,
    mutes,
    savedViews,
    adminKeys,
  ];
  for (const { list } of kinds) {
    expect(await list(DEFAULT_WORKSPACE)).toHaveLength(1);
    expect(await list(other)).toEqual([]);
  }
  const query = { limit: 100, unreadOnly: false };
  expect(await records.alerts.list(DEFAULT_WORKSPACE, query)).toHaveLength(1);
  expect(await records.alerts.list(other, query)).toEqual([]);
  const rows = await records.audit.list({ workspaceId: other, limit: 100, before: null });
  expect(rows.map((row) => row.action)).toEqual(['workspace.create']);
});

test('the same names, prices and episodes can exist in both', async () => {
  const { records, other } = await twoWorkspaces();
  await records.keys.create(newKey('one', { workspaceId: other }), 'owner');
  await records.tokens.create({ workspaceId: other, name: 'one', scopes: [], expiresAt: null }, 'owner');
  await records.prices.set(other, rateCard('m'), 'owner');
  expect(await records.alerts.raise(alertOf(other))).not.toBeNull();
  expect(await records.prices.list(DEFAULT_WORKSPACE)).toHaveLength(1);
});

test.each<[string, (records: Records) => Promise<unknown>]>([
  ['a key', (r) => r.keys.create(newKey('x', { workspaceId: 'ws_absent' }), 'owner')],
  ['a token', (r) => r.tokens.create({ workspaceId: 'ws_absent', name: 'x', scopes: [], expiresAt: null }, 'owner')],
  [
    'a webhook',
    (r) =>
      r.webhooks.create(
        {
          workspaceId: 'ws_absent',
          name: 'x',
          url: 'https://x.test/',
          type: 'SLACK',
          events: ['OVERRUN'],
          secret: null,
          digest: 'off',
        },
        'owner',
      ),
  ],
  ['an admin key', (r) => r.adminKeys.create(newAdminKey({ workspaceId: 'ws_absent' }), 'owner')],
  ['a limit', (r) => r.limits.create(newLimit({ workspaceId: 'ws_absent' }), 'owner')],
  ['a subscription', (r) => r.subscriptions.create(newSubscription({ workspaceId: 'ws_absent' }), 'owner')],
  ['a saved view', (r) => r.savedViews.save('ws_absent', VIEW, 'owner')],
  ['a mute', (r) => r.mutes.create(newMute({ workspaceId: 'ws_absent' }), 'owner')],
  ['settings of detection', (r) => r.detection.update('ws_absent', { sensitivity: 'low' }, 'owner')],
  ['a price', (r) => r.prices.set('ws_absent', rateCard('m'), 'owner')],
])('%s in a workspace that does not exist is refused', async (_, attempt) => {
  const { records } = await openTemporaryRecords(temporaryFolder());
  await expect(attempt(records)).rejects.toThrow('There is no workspace "ws_absent"');
});
