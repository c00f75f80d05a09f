import { expect, test } from 'vitest';
import type { MessageToGateway } from '../../src/ipc/messages.ts';
import { DEFAULT_WORKSPACE } from '../../src/storage/records/context.ts';
import { newKey, newLimit, rateCard } from '../support/temporary-records.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { openPostgresNode, type PostgresNode } from './postgres-node.ts';

const OWNER = 'owner';
const LISTENERS = `SELECT 1 FROM pg_stat_activity
  WHERE datname = current_database() AND query = 'LISTEN "tollbook_news"'`;

async function openTwo(): Promise<[PostgresNode, PostgresNode]> {
  const url = await temporaryDatabase();
  const nodes: [PostgresNode, PostgresNode] = [await openPostgresNode(url), await openPostgresNode(url)];
  const listeners = async (): Promise<number> => (await nodes[0].pool.query({ text: LISTENERS })).rows.length;
  await expect.poll(listeners).toBe(2);
  return nodes;
}

function last<Type extends MessageToGateway['type']>(
  { sent }: PostgresNode,
  type: Type,
): Extract<MessageToGateway, { type: Type }> | undefined {
  const isOfType = (message: MessageToGateway): message is Extract<MessageToGateway, { type: Type }> =>
    message.type === type;
  return sent.findLast(isOfType);
}

test('a key that is revoked on one node is refused by the gateways of all nodes', async () => {
  const nodes = await openTwo();
  const [one, two] = nodes;
  const { key } = await one.records.keys.create(newKey('a'), OWNER);
  await expect.poll(() => last(two, 'key-changed')?.key.revokedAt).toBeNull();
  await one.records.keys.revoke(DEFAULT_WORKSPACE, key.id, OWNER);
  for (const node of nodes) await expect.poll(() => last(node, 'key-changed')?.key.revokedAt).not.toBeNull();
});

test('limits, tokens, prices, providers and time zones that one node changes reach the gateway of another', async () => {
  const [one, two] = await openTwo();
  const limit = await one.records.limits.create(newLimit(), OWNER);
  const token = { workspaceId: DEFAULT_WORKSPACE, name: 't', scopes: ['usage:read'] as const, expiresAt: null };
  const { hash, token: made } = await one.records.tokens.create(token, OWNER);
  await one.records.prices.set(DEFAULT_WORKSPACE, rateCard('m'), OWNER);
  await one.records.providers.add({ id: 'own', name: 'Own', url: 'http://127.0.0.1:1', priceProvider: null }, OWNER);
  await expect.poll(() => last(two, 'providers-changed')?.customProviders).toHaveLength(1);
  expect(last(two, 'limit-changed')?.limit.amount).toBe(limit.amount);
  expect(last(two, 'token-changed')).toEqual({ type: 'token-changed', hash, live: true });
  expect(last(two, 'custom-prices-changed')?.userCards).toHaveLength(1);
  await one.records.workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin' }, OWNER);
  await expect.poll(() => last(two, 'limit-changed')?.limit.zones.at(-1)?.zone).toBe('Europe/Berlin');
  await one.records.tokens.revoke(DEFAULT_WORKSPACE, made.id, OWNER);
  await one.records.limits.remove(DEFAULT_WORKSPACE, limit.id, OWNER);
  await expect.poll(() => last(two, 'limit-removed')).toEqual({ type: 'limit-removed', id: limit.id });
  expect(last(two, 'token-changed')).toEqual({ type: 'token-changed', hash, live: false });
});

test('a change is in force on its own node before it is answered', async () => {
  const [one] = await openTwo();
  const limit = await one.records.limits.create(newLimit(), OWNER);
  one.notices.limitChanged(limit);
  expect(await one.notices.whenApplied()).toBe(true);
  expect(last(one, 'limit-changed')?.limit.id).toBe(limit.id);
});

test('a node that can not read the changes says that its own is not in force yet', async () => {
  const [one] = await openTwo();
  const limit = await one.records.limits.create(newLimit(), OWNER);
  await one.pool.query({ text: 'ALTER TABLE changes RENAME TO elsewhere' });
  one.notices.limitChanged(limit);
  expect(await one.notices.whenApplied()).toBe(false);
  await one.pool.query({ text: 'ALTER TABLE elsewhere RENAME TO changes' });
  one.time.pass(5_000);
  await expect.poll(() => last(one, 'limit-changed')?.limit.id).toBe(limit.id);
});

test('changes while a node hears nothing arrive with the next reading', async () => {
  const [one, two] = await openTwo();
  await two.feed.close();
  const limit = await one.records.limits.create(newLimit(), OWNER);
  two.time.pass(5_000);
  await expect.poll(() => last(two, 'limit-changed')?.limit.id).toBe(limit.id);
});

test('a node that was away for longer than changes are kept sends its gateway all records', async () => {
  const [one, two] = await openTwo();
  const { key } = await one.records.keys.create(newKey('a'), OWNER);
  const removed = await one.records.limits.create(newLimit(), OWNER);
  await two.follower.caughtUp();
  await two.feed.close();
  await one.records.limits.remove(DEFAULT_WORKSPACE, removed.id, OWNER);
  await one.records.keys.revoke(DEFAULT_WORKSPACE, key.id, OWNER);
  const limit = await one.records.limits.create(newLimit({ unit: 'calls', amount: 5 }), OWNER);
  await one.feed.prune(Number.MAX_SAFE_INTEGER / 1_000, 100);
  await two.follower.caughtUp();
  expect(last(two, 'keys-reloaded')).toEqual({ type: 'keys-reloaded', keys: [], tokenHashes: [] });
  expect(last(two, 'limit-removed')?.id).toBe(removed.id);
  expect(last(two, 'limit-changed')?.limit.id).toBe(limit.id);
  const { length } = two.sent;
  await two.follower.caughtUp();
  expect(two.sent).toHaveLength(length);
});

test('an alert of one node is an event of the streams on all nodes, once for each change', async () => {
  const nodes = await openTwo();
  const [one] = nodes;
  const alert = await one.records.alerts.raise({
    type: 'BUDGET_WARNING',
    severity: 'warning',
    workspaceId: DEFAULT_WORKSPACE,
    title: 'Half',
    message: 'Half of it is used.',
    episode: 'e1',
    createdAt: 1,
    scope: {},
    value: null,
    threshold: null,
    period: null,
    evidence: {},
  });
  if (!alert) throw new Error('not raised');
  await one.records.alerts.markRead(DEFAULT_WORKSPACE, alert.id, OWNER);
  await one.records.alerts.resolve(DEFAULT_WORKSPACE, 'e1', 2);
  for (const { follower, events } of nodes) {
    await follower.caughtUp();
    await expect
      .poll(() => events.map(([name, data]) => [name, (data as { change: string }).change]))
      .toEqual([
        ['alert', 'raised'],
        ['alert', 'read'],
        ['alert', 'resolved'],
      ]);
  }
});

test('calls that one node records are events of the streams on another, once a second for each workspace', async () => {
  const [one, two] = await openTwo();
  const workspaceId = DEFAULT_WORKSPACE;
  const entry = (number: number) => ({ workspaceId, callId: `call_${number}` });
  one.announcer.recorded({ entries: [entry(1), entry(2)] });
  const first = ['recorded', { count: 2, ids: ['call_2', 'call_1'] }];
  await expect.poll(() => two.events).toEqual([first]);
  for (let number = 3; number < 100; number += 1) one.announcer.recorded({ entries: [entry(number)] });
  one.announcer.recorded({ entries: [], refused: [{ workspaceId, calls: 7 }] });
  one.time.pass(999);
  await one.feed.announce({ workspaceId: 'ws_other', recorded: 0, ids: [], refused: 1 });
  await expect.poll(() => two.events).toEqual([first, ['refused', { count: 1 }]]);
  one.time.pass(1);
  await expect.poll(() => two.events).toHaveLength(4);
  const [, , recorded, refused] = two.events;
  const ids = Array.from({ length: 20 }, (_, index) => `call_${99 - index}`);
  expect(recorded).toEqual(['recorded', { count: 97, ids }]);
  expect(refused).toEqual(['refused', { count: 7 }]);
  // Its own streams had them from memory.
  expect(one.events).toEqual([]);
});
