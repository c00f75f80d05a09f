import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { NodeList } from '../../src/contract/installation.ts';
import type { LimitShape, LimitStanding } from '../../src/contract/limits.ts';
import type { OwnLimits } from '../../src/contract/own-limits.ts';
import { eventually } from '../service.ts';
import { ServiceCluster } from './service-cluster.ts';

// Three services on one database. What the provider has billed is the truth.

const NODES = 3;
const CALLS = 10;
const TEST_MS_MAX = 240_000;

let cluster: ServiceCluster;
beforeAll(async () => {
  cluster = await ServiceCluster.start(NODES);
}, TEST_MS_MAX);
afterEach(async () => {
  for (let node = 0; node < NODES; node += 1) if (!cluster.nodes.includes(node)) await cluster.startNode(node);
}, TEST_MS_MAX);
afterAll(async () => {
  await cluster?.close();
}, TEST_MS_MAX);

/** Every node says that each call is in the ledger once, at what the provider has billed. */
async function expectBilled(): Promise<void> {
  for (const { totalCalls, totalCost } of await cluster.summaries()) {
    expect(totalCalls).toBe(cluster.sent);
    expect(totalCost).toBeCloseTo(cluster.billed(), 9);
  }
}

test(
  'each call is in the ledger once, through kills of nodes and a crash of the database',
  async () => {
    expect(await cluster.callAll(CALLS)).toEqual({ 200: NODES * CALLS });
    await expectBilled();
    await cluster.server.crash();
    expect(await cluster.callAll(CALLS)).toEqual({ 200: NODES * CALLS });
    // Its calls are only in its journal.
    await cluster.kill(1);
    await cluster.server.start();
    await cluster.startNode(1);
    expect(await cluster.callAll(CALLS)).toEqual({ 200: NODES * CALLS });
    await expectBilled();
    await cluster.kill(0);
    await cluster.kill(2);
    for (const node of [0, 2]) await cluster.startNode(node);
    await expectBilled();
  },
  TEST_MS_MAX,
);

test(
  'a limit that is changed through one node is in force on all before the answer',
  async () => {
    const tags = { team: 'a' };
    const limit = { scope: { kind: 'tag', key: 'team', value: 'a' }, unit: 'calls', window: 'total' };
    const { id } = await cluster.manage<LimitShape>(0, 'POST', '/limits', { ...limit, amount: 1_000_000 });
    expect(await cluster.callAll(5, { tags })).toEqual({ 200: 15 });
    let counted = 15;
    for (const node of cluster.nodes) {
      await cluster.manage(node, 'PATCH', `/limits/${id}`, { amount: counted });
      expect(await cluster.callAll(3, { tags })).toEqual({ 402: 9 });
      await cluster.manage(node, 'PATCH', `/limits/${id}`, { amount: 1_000_000 });
      expect(await cluster.callAll(1, { tags })).toEqual({ 200: 3 });
      counted += 3;
    }
    const shown = async (node: number): Promise<number> =>
      (await cluster.manage<LimitStanding>(node, 'GET', `/limits/${id}`)).counted;
    for (const node of cluster.nodes)
      await eventually(
        () => shown(node),
        (found) => found === counted,
      );
  },
  TEST_MS_MAX,
);

test(
  'no limit is exceeded by calls through several nodes, one of which dies, and all of it can be used',
  async () => {
    const tags = { team: 'b' };
    const before = cluster.sent;
    const limit = { scope: { kind: 'tag', key: 'team', value: 'b' }, unit: 'calls', window: 'total', amount: 60 };
    await cluster.manage<LimitShape>(0, 'POST', '/limits', limit);
    let answered = (await cluster.callAll(CALLS, { tags }))[200] ?? 0;
    await cluster.kill(1);
    await cluster.startNode(1);
    const statuses = await cluster.callAll(CALLS + 5, { tags });
    answered += statuses[200] ?? 0;
    // Calls that waited too long for what another node had come again.
    for (let left = 60 - answered, wave = 0; left > 0 && wave < 10; left = 60 - answered, wave += 1)
      answered += (await cluster.callAll(Math.ceil(left / NODES), { tags }))[200] ?? 0;
    expect(answered).toBe(60);
    expect((await cluster.callAll(1, { tags }))[200]).toBeUndefined();
    expect(cluster.sent - before).toBe(60);
  },
  TEST_MS_MAX,
);

test('each node lists all nodes, and what a dead one was granted', async () => {
  const limit = { scope: { kind: 'tag', key: 'team', value: 'd' }, unit: 'calls', window: 'total', amount: 1_000 };
  await cluster.manage<LimitShape>(0, 'POST', '/limits', limit);
  expect((await cluster.call(2, { tags: { team: 'd' } })).status).toBe(200);
  await cluster.kill(2);
  for (const node of cluster.nodes) {
    const { nodes } = await cluster.node(node).command<NodeList>(['nodes', 'list']);
    expect(nodes.map(({ name, stoppedAt }) => [name, stoppedAt])).toEqual([
      ['node-0', null],
      ['node-1', null],
      ['node-2', null],
    ]);
    const grants = nodes[2]?.grants.find(({ unit }) => unit === 'calls');
    expect(grants?.counters).toBeGreaterThanOrEqual(1);
    expect(grants?.amount).toBeGreaterThan(1);
    const metrics = async (): Promise<string> => await (await fetch(`${cluster.node(node).baseUrl}/metrics`)).text();
    const id = nodes[2]?.id;
    await eventually(metrics, (text) => text.includes(`tollbook_node_unshipped_calls{node="node-2",id="${id}"}`));
    expect(await metrics()).toMatch(
      /^tollbook_node_info\{node="node-0",id="\S+",version="[\d.]+",state="running"\} 1$/m,
    );
  }
});

test(
  'calls that are open when their node dies count as uncertain once it starts again, and others are not held up',
  async () => {
    cluster.double.barrier.shut();
    const cut = Array.from({ length: 4 }, () => cluster.call(2));
    await cluster.double.barrier.waiting(4);
    await cluster.kill(2);
    cluster.double.barrier.open();
    await Promise.all(cut);
    expect(await cluster.callAll(CALLS)).toEqual({ 200: 2 * CALLS });
    for (const { totalCalls, uncertainCalls } of await cluster.summaries(4))
      expect([totalCalls, uncertainCalls ?? 0]).toEqual([cluster.sent - 4, 0]);
    await cluster.startNode(2);
    for (const { totalCalls, totalCost, uncertainCalls, uncertainUpTo } of await cluster.summaries()) {
      expect([totalCalls, uncertainCalls]).toEqual([cluster.sent, 4]);
      expect(totalCost + (uncertainUpTo ?? 0)).toBeGreaterThanOrEqual(cluster.billed());
    }
  },
  TEST_MS_MAX,
);

test(
  'what running calls hold is shown the same through every node, until a node that died starts again',
  async () => {
    const tags = { team: 'c' };
    const { key } = await cluster.createKey('held');
    const scope = { kind: 'tag', key: 'team', value: 'c' };
    const limits = [
      { scope, unit: 'calls', window: 'total', amount: 100, action: 'block' },
      { scope, unit: 'concurrency', window: 'total', amount: 100, action: 'block' },
      { scope, unit: 'tokens', window: 'day', amount: 1_000_000, action: 'warn' },
    ];
    const ids = await Promise.all(
      limits.map(async (limit) => (await cluster.manage<LimitShape>(0, 'POST', '/limits', limit)).id),
    );
    const [calls = '', concurrency = '', tokens = ''] = ids;
    /** What is held under the limits, as the management API and the answer to the key's owner say. */
    const shown = async (node: number): Promise<string> => {
      const standings = await Promise.all(ids.map((id) => cluster.manage<LimitStanding>(node, 'GET', `/limits/${id}`)));
      const headers = { authorization: `Bearer ${key}`, 'x-svc-tags': 'team=c' };
      const answer = await fetch(`${cluster.node(node).baseUrl}/api/proxy/limits`, { headers });
      const { limits: own } = (await answer.json()) as OwnLimits;
      const ofKey = ids.map((id) => own.find((limit) => limit.id === id)?.held);
      return JSON.stringify({ held: standings.map(({ held }) => held), left: standings[0]?.remaining, ofKey });
    };
    const everywhere = async (found: (all: readonly string[]) => boolean): Promise<void> =>
      void (await eventually(() => Promise.all(cluster.nodes.map(shown)), found));
    const same = (all: readonly string[]): boolean => new Set(all).size === 1;
    const has = (id: string, held: number) => (all: readonly string[]) =>
      same(all) && heldOf(all, ids.indexOf(id)) === held;
    cluster.double.barrier.shut();
    const open = cluster.nodes.flatMap((node) =>
      Array.from({ length: node + 1 }, () => cluster.call(node, { tags, key })),
    );
    await cluster.double.barrier.waiting(6);
    await everywhere(has(concurrency, 6));
    await everywhere(has(calls, 6));
    await everywhere((all) => same(all) && heldOf(all, ids.indexOf(tokens)) > 600);
    await cluster.kill(2);
    await everywhere((all) => same(all) && heldOf(all, ids.indexOf(concurrency)) >= 6);
    cluster.double.barrier.open();
    await Promise.all(open);
    await cluster.startNode(2);
    await everywhere(has(concurrency, 0));
    await everywhere(has(calls, 0));
  },
  TEST_MS_MAX,
);

function heldOf([first = '']: readonly string[], at: number): number {
  return (JSON.parse(first) as { held: number[] }).held[at] ?? -1;
}
