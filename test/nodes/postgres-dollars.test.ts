import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LimitShape, LimitStanding } from '../../src/contract/limits.ts';
import { eventually } from '../service.ts';
import { ServiceCluster } from './service-cluster.ts';

const NODES = 3;
const WORKERS = 12;
/** Dollars. */
const AMOUNT = 1;
/** A call costs $0.002 and holds a little more: its maximum counts each byte of the prompt. */
const ASK = { maxTokens: 1_000, plan: { tokens: { input: 10, output: 1_000 } } };
const NEED_MAX = 0.0025;
const TEST_MS_MAX = 240_000;

let cluster: ServiceCluster;
beforeAll(async () => {
  cluster = await ServiceCluster.start(NODES);
}, TEST_MS_MAX);
afterAll(async () => {
  await cluster?.close();
}, TEST_MS_MAX);

/** Calls through one node after the other until a limit refuses a call for good. */
async function callUntilRefused(worker: number): Promise<void> {
  let number = worker;
  const callNext = async (): Promise<number> => {
    const { nodes } = cluster;
    number += 1;
    const reply = await cluster.call(nodes[number % nodes.length] ?? 0, ASK);
    return reply.status;
  };
  let status = 200;
  // A node may be gone, or wait for what another one had.
  while (status !== 402) status = await eventually(callNext, (found) => found === 200 || found === 402, TEST_MS_MAX);
}

test(
  'a dollar limit is not exceeded through nodes that are killed under load, and all of it is used in the end',
  async () => {
    const limit = { scope: { kind: 'workspace' }, unit: 'usd', window: 'total', amount: AMOUNT };
    const { id } = await cluster.manage<LimitShape>(1, 'POST', '/limits', limit);
    let isOver = false;
    const workers = Promise.all(Array.from({ length: WORKERS }, (_, worker) => callUntilRefused(worker)));
    void workers.then(() => (isOver = true));
    for (const node of [1, 2, 0]) {
      const before = cluster.sent;
      await eventually(
        async () => cluster.sent,
        (sent) => isOver || sent > before + 20,
      );
      await cluster.kill(node);
      await cluster.startNode(node);
    }
    await workers;
    const standings = await eventually(
      () => Promise.all(cluster.nodes.map((node) => cluster.manage<LimitStanding>(node, 'GET', `/limits/${id}`))),
      (all) => all.every(({ counted, held }) => held === 0 && counted === all[0]?.counted),
    );
    expect(cluster.billed()).toBeLessThanOrEqual(AMOUNT);
    for (const { counted, remaining } of standings) {
      expect(counted).toBeGreaterThanOrEqual(cluster.billed() - 1e-9);
      expect(counted).toBeLessThanOrEqual(AMOUNT);
      expect(remaining).toBeLessThan(NEED_MAX);
    }
  },
  TEST_MS_MAX,
);
