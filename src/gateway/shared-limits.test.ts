import { expect, test } from 'vitest';
import { type SharedNode, SharedNodes, type TestCall } from '../../test/support/shared-nodes.ts';
import { NOON, sampleBudget, sampleLimit, sampleNeed, sampleSubject } from '../limits/contract/sample-limits.ts';
import { Hold } from '../limits/hold.ts';

const TOTAL = { window: 'total' } as const;
const EACH_SESSION = { scope: { kind: 'each', of: 'session', keyId: null }, window: 'total' } as const;

function inSession(session: string) {
  return { context: { session, agent: null, parentAgent: null, run: null, requestClass: null } };
}

/** Calls through all nodes in turns until each refuses; a call ends soon with its whole need. Returns how many were admitted. */
async function callUntilRefused(nodes: SharedNodes, usd: number, change = {}): Promise<number> {
  let admitted = 0;
  let refused = 0;
  for (let round = 0; round < 60 && refused < nodes.nodes.length; round += 1) {
    const calls = nodes.nodes.map((node) => [node, node.call(usd, change)] as const);
    await nodes.pass(60);
    for (const [node, call] of calls) if (call.hold) node.end(call, usd);
    admitted += calls.filter(([, { hold }]) => hold !== null).length;
    refused = calls.filter(([, call]) => call.refused !== null && call.refused !== 'in_flight').length;
  }
  return admitted;
}

async function begin(nodes: SharedNodes, node: SharedNode, usd: number, change = {}): Promise<TestCall> {
  const call = node.call(usd, change);
  await nodes.pass(200);
  return call;
}

test('two nodes use all of a limit and no more', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  nodes.start('a');
  nodes.start('b');
  expect(await callUntilRefused(nodes, 5)).toBe(20);
  expect(nodes.taken(1)).toBe(100);
});

test('a call that other nodes have used the amount for is refused with what all have counted', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  a.end(await begin(nodes, a, 95), 95);
  const call = await begin(nodes, b, 10);
  expect(call.refused).toBe('exceeds_limit');
  expect(b.sync.engine.standings(['lim_1'], b.sync.now(), 1)).toMatchObject([{ counted: 95, left: 5 }]);
});

test('a call waits for what an open call of another node holds', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  const open = await begin(nodes, a, 80);
  const waiting = await begin(nodes, b, 40);
  expect(waiting).toMatchObject({ hold: null, refused: null });
  a.end(open, 10);
  await nodes.pass(100);
  expect(waiting.hold).not.toBeNull();
});

test('a call that waits in vain for another node is told to come back', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  await begin(nodes, a, 80);
  const waiting = b.call(40);
  await nodes.pass(2_100);
  expect(waiting.refused).toBe('in_flight');
});

test('nodes share a limit on concurrent calls', async () => {
  const nodes = new SharedNodes(sampleLimit('lim_1', { unit: 'concurrency', amount: 3, window: 'total' }));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  const open = [await begin(nodes, a, 1), await begin(nodes, b, 1), await begin(nodes, a, 1)];
  expect(open.map(({ hold }) => hold !== null)).toEqual([true, true, true]);
  const waiting = await begin(nodes, b, 1);
  expect(waiting).toMatchObject({ hold: null, refused: null });
  if (open[0]) a.end(open[0], 1);
  await nodes.pass(100);
  expect(waiting.hold).not.toBeNull();
});

test('each session has one amount on all nodes', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 50, EACH_SESSION));
  const started = [nodes.start('a'), nodes.start('b')];
  for (const session of ['one', 'two']) {
    for (const node of started) {
      const { engine, now } = node.sync;
      const subject = {
        ...inSession(session),
        workspaceId: 'ws_a',
        keyId: 'key_a',
        provider: 'anthropic',
        model: 'm',
        pricedModel: 'm',
        tags: {},
      };
      const waiter = { keyId: 'key_a', until: Infinity, loaded: () => {}, gaveUp: () => {} };
      engine.awaitCounters(waiter, engine.findCounters(subject, now()));
    }
    await nodes.pass(20);
    expect(await callUntilRefused(nodes, 5, inSession(session))).toBe(10);
  }
});

test('a window of the database opens with the whole amount again', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, { window: 'minute' }));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  a.end(await begin(nodes, a, 100), 100);
  expect((await begin(nodes, b, 100)).refused).toBe('rate_limited');
  await nodes.pass(NOON + 61_000 - nodes.time.wall);
  expect((await begin(nodes, b, 100)).hold).not.toBeNull();
});

test('the end of a raise leaves no node with more than the amount', async () => {
  const raise = { amount: 200, until: NOON + 1_000 };
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, { ...TOTAL, raise }));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  // A part of the raised amount is granted to each.
  a.end(await begin(nodes, a, 10), 10);
  b.end(await begin(nodes, b, 10), 10);
  await nodes.pass(1_200);
  expect(10 * (await callUntilRefused(nodes, 10))).toBe(80);
});

test('a limit that begins to block counts the calls that began and ended while it warned', async () => {
  const warned = sampleBudget('lim_1', 100, { ...TOTAL, action: 'warn' });
  const nodes = new SharedNodes(warned);
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  a.isShipping = false;
  const [ended, open] = [await begin(nodes, a, 30), await begin(nodes, a, 20)];
  a.end(ended, 30);
  nodes.change({ ...warned, action: 'block' });
  for (const node of [a, b]) node.sync.receive(node.changes.splice(0)[0] ?? { type: 'limit-removed', id: 'none' });
  await nodes.pass(20);
  const waiting = a.call(40);
  a.ship();
  await nodes.pass(100);
  expect(waiting.hold).not.toBeNull();
  a.end(open, 20);
  await nodes.pass(20);
  expect((await begin(nodes, b, 20)).refused ?? 'waits').toBe('waits');
  a.end(waiting, 40);
  a.ship();
  expect(10 * (await callUntilRefused(nodes, 10))).toBe(10);
});

test('a call that found its counters while a limit warned needs a lease once the limit blocks', async () => {
  const warned = sampleBudget('lim_1', 100, { ...TOTAL, action: 'warn' });
  const nodes = new SharedNodes(warned);
  const { engine, now } = nodes.start('a').sync;
  const counters = engine.findCounters(sampleSubject(), now());
  nodes.change({ ...warned, action: 'block' });
  await nodes.pass(1_500);
  expect(engine.admit(sampleSubject(), counters, sampleNeed(60), now())).toMatchObject({ reason: 'in_flight' });
  await nodes.pass(100);
  expect(engine.admit(sampleSubject(), counters, sampleNeed(60), now())).toBeInstanceOf(Hold);
  expect(nodes.taken(1)).toBeGreaterThanOrEqual(60);
});

test('a new limit adopts the open calls of all nodes', async () => {
  const nodes = new SharedNodes();
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  const open = [await begin(nodes, a, 30), await begin(nodes, b, 40)];
  nodes.change(sampleBudget('lim_1', 100, { ...TOTAL, countsPast: false }));
  await nodes.pass(1_500);
  const waiting = await begin(nodes, a, 40);
  expect(waiting.hold).toBeNull();
  for (const [at, node] of [a, b].entries()) if (open[at]) node.end(open[at], 10);
  await nodes.pass(100);
  a.end(waiting, 40);
  expect(10 * (await callUntilRefused(nodes, 10))).toBe(40);
});

test('a new limit adopts several open calls of one node', async () => {
  const nodes = new SharedNodes();
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  const open = [await begin(nodes, a, 30), await begin(nodes, a, 20), await begin(nodes, b, 10)];
  nodes.change(sampleBudget('lim_1', 100, { ...TOTAL, countsPast: false }));
  await nodes.pass(1_500);
  expect(nodes.taken(1)).toBe(60);
  const third = await begin(nodes, a, 40);
  expect(third.hold).not.toBeNull();
  expect(nodes.taken(1)).toBe(100);
  for (const [at, call] of [...open, third].entries()) (at === 2 ? b : a).end(call, 10);
  expect(10 * (await callUntilRefused(nodes, 10))).toBe(60);
});

test('calls go on from what was granted while the database is away, until the lease ends', async () => {
  const nodes = new SharedNodes(
    sampleBudget('lim_1', 1_000, TOTAL),
    sampleBudget('lim_2', 1_000, { ...TOTAL, action: 'warn', scope: { kind: 'key', keyId: 'key_b' } }),
  );
  const a = nodes.start('a');
  a.end(await begin(nodes, a, 10), 10);
  nodes.isAway = true;
  await nodes.pass(5_000);
  a.end(await begin(nodes, a, 10), 10);
  await nodes.pass(60_000);
  expect((await begin(nodes, a, 10)).refused).toBe('unleased');
  expect((await begin(nodes, a, 10, { workspaceId: 'ws_b', keyId: 'key_b' })).hold).not.toBeNull();
  nodes.isAway = false;
  await nodes.pass(4_000);
  expect((await begin(nodes, a, 10)).hold).not.toBeNull();
});

test('a node that stops returns what it has not used', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  a.end(await begin(nodes, a, 10), 10);
  const stopping = a.shared.stop();
  await nodes.pass(50);
  await stopping;
  expect(nodes.taken(1)).toBe(10);
  expect((await begin(nodes, b, 90)).hold).not.toBeNull();
});

test('grants of a process that died stay counted until its next process has shipped its calls', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, TOTAL));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  a.isShipping = false;
  a.end(await begin(nodes, a, 40), 40);
  const before = nodes.taken(1);
  nodes.kill(a);
  await nodes.pass(70_000);
  expect(nodes.taken(1)).toBe(before);
  expect((await begin(nodes, b, 70)).hold).toBeNull();
  nodes.start('a');
  await nodes.pass(100);
  expect(nodes.taken(1)).toBe(40);
  expect((await begin(nodes, b, 60)).hold).not.toBeNull();
});

test('figures of a node have the calls of all nodes, once they are recorded', async () => {
  const nodes = new SharedNodes(sampleBudget('lim_1', 100, { ...TOTAL, thresholds: [50] }));
  const [a, b] = [nodes.start('a'), nodes.start('b')];
  b.isShipping = false;
  a.end(await begin(nodes, a, 30), 30);
  b.end(await begin(nodes, b, 25), 25);
  await nodes.pass(1_100);
  const figures = [a, b].map(({ sync }) => sync.engine.standings(['lim_1'], sync.now(), 1)[0]?.counted);
  // The ledger does not have the call of the second node yet.
  expect(figures).toEqual([30, 55]);
  b.ship();
  await nodes.pass(1_100);
  expect(a.sync.engine.standings(['lim_1'], a.sync.now(), 1)).toMatchObject([{ counted: 55 }]);
  expect(b.alerts.map(({ episode }) => episode)).toEqual(a.alerts.map(({ episode }) => episode));
  expect(a.alerts).toHaveLength(1);
});
