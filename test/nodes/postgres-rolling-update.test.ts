import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LimitStanding, LimitShape } from '../../src/contract/limits.ts';
import { eventually } from '../service.ts';
import { ServiceCluster } from './service-cluster.ts';

// Each of three nodes is stopped and started again, while clients call through a load balancer as docs/growing.md wants it:
// it asks /callz/limited, opens a connection for each call, and tries another node only if that was refused.

const NODES = 3;
const CLIENTS = 6;
const TEST_MS_MAX = 240_000;
const CALL = JSON.stringify({
  model: 'gpt-5-mini',
  max_completion_tokens: 50,
  messages: [{ role: 'user', content: 'Hi' }],
});

let cluster: ServiceCluster;
beforeAll(async () => {
  cluster = await ServiceCluster.start(NODES, {}, { SVC_LEAVE_SECONDS: '2' });
}, TEST_MS_MAX);
afterAll(async () => {
  await cluster?.close();
}, TEST_MS_MAX);

/** Sends a call on a connection of its own. Returns its status; null = the connection was refused, so it was not sent. */
function send(baseUrl: string, key: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const url = `${baseUrl}/api/proxy/openai/v1/chat/completions`;
    const sent = request(url, { method: 'POST', agent: false, headers }, (answer) => {
      answer.resume().once('end', () => resolve(answer.statusCode ?? 0));
      answer.once('error', reject);
    });
    sent.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNREFUSED' ? resolve(null) : reject(error),
    );
    sent.end(CALL);
  });
}

async function takesCalls(address: string): Promise<boolean> {
  const asked = fetch(`${address}/callz/limited`, { headers: { connection: 'close' } });
  return await asked.then(
    ({ ok }) => ok,
    () => false,
  );
}

test(
  'no call fails while one node after the other is replaced, and each is in the ledger once',
  async () => {
    const { key } = await cluster.createKey('rolling');
    const limit = { scope: { kind: 'workspace' }, unit: 'calls', window: 'total', amount: 1_000_000 };
    const { id } = await cluster.manage<LimitShape>(0, 'POST', '/limits', limit);
    const addresses = cluster.nodes.map((node) => cluster.node(node).baseUrl);
    const statuses: Record<string, number> = {};
    let turn = 0;
    const load = { isOver: false };
    const taking = new Set(addresses);
    const check = async (): Promise<boolean> => {
      for (const address of addresses)
        if (await takesCalls(address)) taking.add(address);
        else taking.delete(address);
      return load.isOver;
    };
    const balance = async (): Promise<string> => {
      turn += 1;
      for (let tries = 0; tries < NODES; tries += 1) {
        const up = [...taking];
        const status = await send(up[(turn + tries) % up.length] ?? '', key);
        if (status !== null) return String(status);
      }
      return 'no node';
    };
    const client = async (): Promise<void> => {
      while (!load.isOver) {
        const outcome = await balance().catch(String);
        statuses[outcome] = (statuses[outcome] ?? 0) + 1;
      }
    };
    const running = [eventually(check, Boolean, TEST_MS_MAX), ...Array.from({ length: CLIENTS }, client)];
    const enough = async (calls: number): Promise<void> =>
      void (await eventually(
        async () => statuses['200'] ?? 0,
        (count) => count >= calls,
      ));
    for (const node of cluster.nodes) {
      await enough((statuses['200'] ?? 0) + 30);
      await cluster.stop(node);
      await enough((statuses['200'] ?? 0) + 30);
      await cluster.startNode(node);
      taking.delete(addresses[node] ?? '');
      addresses[node] = cluster.node(node).baseUrl;
      await eventually(
        async () => taking.size,
        (size) => size === NODES,
      );
    }
    await enough((statuses['200'] ?? 0) + 30);
    load.isOver = true;
    await Promise.all(running);
    expect(Object.keys(statuses)).toEqual(['200']);
    for (const { totalCalls, totalCost, uncertainCalls } of await cluster.summaries()) {
      expect([totalCalls, uncertainCalls ?? 0]).toEqual([cluster.sent, 0]);
      expect(totalCost).toBeCloseTo(cluster.billed(), 9);
    }
    // The other nodes say every second what their open calls hold.
    const { counted } = await eventually(
      () => cluster.manage<LimitStanding>(0, 'GET', `/limits/${id}`),
      ({ held }) => held === 0,
    );
    expect(counted).toBe(cluster.sent);
  },
  TEST_MS_MAX,
);
