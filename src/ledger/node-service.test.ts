import { expect, test } from 'vitest';
import { SimulatedTime } from '../../test/simulation/time.ts';
import { openTemporaryRecords, TEST_NOW } from '../../test/support/temporary-records.ts';
import { silentLog } from '../lib/log.ts';
import type { NodeRecords } from '../storage/records/nodes.ts';
import type { NodeGrants } from '../storage/node-amounts.ts';
import { listNodes, NodeService } from './node-service.ts';

const EVERY_MS = 10_000;
const log = silentLog;

async function openNode(change: (nodes: NodeRecords) => NodeRecords = (nodes) => nodes) {
  const { nodes } = (await openTemporaryRecords()).records;
  const time = new SimulatedTime(TEST_NOW);
  const clock = (): number => time.wall;
  const node = { id: 'n1', name: 'east', version: '1.0.0' };
  const service = new NodeService({ nodes: change(nodes), node, everyMs: EVERY_MS, clock, log, scheduler: time });
  const grants: NodeGrants[] = [];
  const shown = async () => (await listNodes({ nodes, clock, hasNodes: true, grants })).nodes[0];
  await service.start();
  return { service, time, shown, grants };
}

test('a node shows how many calls are only in its journal, and for how long', async () => {
  const { service, time, shown } = await openNode();
  expect(await shown()).toMatchObject({ name: 'east', state: 'running', unshippedCalls: 0, lagSeconds: 0 });
  service.committed(10);
  time.pass(EVERY_MS);
  await expect.poll(shown).toMatchObject({ unshippedCalls: 10, lagSeconds: 10 });
  service.committed(15);
  time.pass(EVERY_MS);
  await expect.poll(shown).toMatchObject({ unshippedCalls: 15, lagSeconds: 20 });
  // What was missing ten seconds ago is there; what came since is the oldest.
  service.shipped(12);
  time.pass(EVERY_MS);
  await expect.poll(shown).toMatchObject({ unshippedCalls: 3, lagSeconds: 10 });
  service.shipped(15);
  time.pass(EVERY_MS);
  await expect.poll(shown).toMatchObject({ unshippedCalls: 0, lagSeconds: 0 });
});

test('a node shows the parts of limits that it has, in dollars or counts', async () => {
  const { shown, grants } = await openNode();
  expect(await shown()).toMatchObject({ grants: [] });
  grants.push({ node: 'n1', unit: 'usd', counters: 2, amount: 12_500_000_000n });
  grants.push(
    { node: 'n1', unit: 'calls', counters: 1, amount: 40 },
    { node: 'n2', unit: 'calls', counters: 1, amount: 3 },
  );
  expect(await shown()).toMatchObject({
    grants: [
      { unit: 'usd', counters: 2, amount: 12.5 },
      { unit: 'calls', counters: 1, amount: 40 },
    ],
  });
});

test('a node that does not say that it runs is silent, until it does', async () => {
  const { time, shown } = await openNode();
  time.wall += 3 * EVERY_MS;
  expect(await shown()).toMatchObject({ state: 'running' });
  time.wall += 1;
  expect(await shown()).toMatchObject({ state: 'silent', stoppedAt: null });
  time.pass(EVERY_MS);
  await expect.poll(shown).toMatchObject({ state: 'running' });
});

test('a node that stops is shown as stopped, with the calls that it leaves in its journal', async () => {
  const { service, shown } = await openNode();
  service.committed(4);
  await service.close();
  expect(await shown()).toMatchObject({ state: 'stopped', unshippedCalls: 4 });
});

test('a database that can not be reached does not keep a node from closing', async () => {
  const { service, time } = await openNode((nodes) => ({
    ...nodes,
    see: () => Promise.reject(new Error('away')),
    stop: () => Promise.reject(new Error('away')),
  }));
  time.pass(EVERY_MS);
  expect(await service.close()).toBeUndefined();
});

test('a node that others have forgotten announces itself again', async () => {
  const { time, shown } = await openNode((nodes) => ({ ...nodes, see: async () => false }));
  time.pass(EVERY_MS);
  await expect.poll(shown).toMatchObject({ startedAt: new Date(TEST_NOW + EVERY_MS).toISOString() });
});
