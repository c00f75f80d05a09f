import { env, stdout } from 'node:process';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { LimitStanding } from '../../src/contract/limits.ts';
import { type ExportedCall, exportCalls } from '../e2e/recorded-call.ts';
import { eventually } from '../service.ts';
import { NodeFaults } from './node-faults.ts';
import { type LoadResult, NANO_PER_USD, NEED_NANO_MAX, NodeLoad } from './node-load.ts';
import { ServiceCluster } from './service-cluster.ts';

// Three services on one database use tight limits to their end, while nodes are killed, the database is restarted, and nodes
// are cut off from it. What the provider has billed is the truth. `npm run nodes:faults` makes 20,000 calls and prints figures.

const NODES = 3;
const CALLS = Number(env['TEST_NODE_CALLS'] ?? 240);
const KILLS = Number(env['TEST_NODE_KILLS'] ?? 2);
const RESTARTS = Number(env['TEST_NODE_RESTARTS'] ?? 1);
const CUTS_MS = (env['TEST_NODE_CUTS_MS'] ?? '2000').split(',').map(Number);
const SEED = Number(env['TEST_NODE_SEED'] ?? 1);
const IS_LONG = env['TEST_NODE_CALLS'] !== undefined;
const TEAMS = 4;
const CALLS_PER_SESSION = IS_LONG ? 125 : 30;
const CONCURRENCY = 6;
const STEADY_CALLS = 3_000;
const TEST_MS_MAX = 240_000 + CALLS * 100;
/** A connection that lost its bytes is given up after 65 s, and shipping is tried again within 30 s. */
const SHIPS_MS_MAX = 240_000;
/** Of a limit, used before the first final refusal. */
const USED_LEAST = 0.99;

let cluster: ServiceCluster;
let load: NodeLoad;
beforeAll(async () => {
  cluster = await ServiceCluster.start(NODES, IS_LONG ? { shared_preload_libraries: 'pg_stat_statements' } : {});
  const calls = CALLS / TEAMS;
  load = new NodeLoad(cluster, { calls, sessions: calls / CALLS_PER_SESSION, concurrency: CONCURRENCY });
  await load.createLimits();
}, TEST_MS_MAX);
afterAll(async () => {
  await cluster?.close();
}, TEST_MS_MAX);

test(
  'no limit is exceeded, all of it can be used, and the ledger matches the bill, through faults of nodes and the database',
  async () => {
    await makeFaults();
    await untilShipped();
    const calls = await exportCalls(cluster.node(0));
    expectBilled(calls);
    expect(load.openCalls.most).toBeLessThanOrEqual(CONCURRENCY);
    for (const result of load.results) expectWithin(result, calls);
    for (const team of ['dollars', 'calls', 'concurrent'] as const) {
      const path = `/limits/${load.limit(team).id}`;
      for (const node of cluster.nodes) {
        // The other nodes say every second what their open calls hold.
        const standing = await eventually(
          () => cluster.manage<LimitStanding>(node, 'GET', path),
          ({ held }) => held === 0,
        );
        expect(standing).toMatchObject(figures(team, calls));
      }
    }
  },
  TEST_MS_MAX,
);

test.runIf(IS_LONG)(
  'statements of the database in the steady state are printed',
  async () => {
    await load.callSteadily(STEADY_CALLS / 10);
    await untilShipped();
    await query('CREATE EXTENSION pg_stat_statements');
    await query('SELECT pg_stat_statements_reset()');
    const start = performance.now();
    await load.callSteadily(STEADY_CALLS);
    const seconds = (performance.now() - start) / 1_000;
    await untilShipped();
    expect(await query('SELECT 1 FROM entries LIMIT 1')).toHaveLength(1);
    const per100 = async (where: string): Promise<string> => {
      const [row] = await query(`SELECT sum(calls)::int AS count FROM pg_stat_statements WHERE ${where}`);
      return ((Number(row?.['count']) * 100) / STEADY_CALLS).toFixed(2);
    };
    stdout.write(
      `${STEADY_CALLS} steady calls, ${Math.round(STEADY_CALLS / seconds)} a second. For 100 calls: ` +
        `${await per100("query LIKE '%lease_exchange%'")} exchanges, ${await per100("query LIKE 'INSERT INTO entries%'")} batches, ` +
        `${await per100('true')} statements\n`,
    );
  },
  TEST_MS_MAX,
);

/** Makes faults and calls at the same time, the faults evenly among the calls. */
async function makeFaults(): Promise<void> {
  const faults = new NodeFaults(cluster, { kills: KILLS, restarts: RESTARTS, cutsMs: CUTS_MS, seed: SEED });
  const start = performance.now();
  let isOver = false;
  const loading = load.run().then(() => (isOver = true));
  await faults.run(async (number, of) => {
    const share = CALLS / (of + 1);
    // Faults take their time, and calls wait for them.
    load.allowed = (number + 2) * share;
    await eventually(
      async () => load.answered,
      (answered) => isOver || answered >= (number + 1) * share,
      TEST_MS_MAX,
    );
    if (IS_LONG) stdout.write(`${Math.round((performance.now() - start) / 1_000)} s, ${load.answered} calls\n`);
  });
  load.allowed = Number.POSITIVE_INFINITY;
  await loading;
  if (IS_LONG) stdout.write(`${faults.log.join('\n')}\n`);
}

/** Once no call is open and the ledger has all. */
async function untilShipped(): Promise<void> {
  const read = async (node: number): Promise<number[]> => {
    const text = await (await fetch(`${cluster.node(node).baseUrl}/metrics`)).text();
    return ['in_flight', 'waiting', 'journal_lag'].map((name) =>
      Number(new RegExp(`^tollbook_${name} (.*)$`, 'm').exec(text)?.[1]),
    );
  };
  for (const node of cluster.nodes)
    await eventually(
      () => read(node),
      (values) => values.every((value) => value === 0),
      SHIPS_MS_MAX,
    );
}

/** Each call is in the ledger once, at what the provider has billed. Calls of killed nodes have no response. */
function expectBilled(calls: readonly ExportedCall[]): void {
  const ids = new Set(calls.map(({ id }) => id));
  expect(ids.size).toBe(calls.length);
  expect(load.results.flatMap(({ answered }) => answered).filter((id) => !ids.has(id))).toEqual([]);
  const billed = new Map(cluster.double.bill.rows.map(({ id, nano }) => [`chatcmpl-${id}`, Number(nano)]));
  const known = calls.filter(({ responseId }) => responseId !== null);
  for (const { responseId, cost } of known) {
    expect(Math.round((cost ?? Number.NaN) * NANO_PER_USD)).toBe(billed.get(responseId ?? ''));
    billed.delete(responseId ?? '');
  }
  const lost = calls.length - known.length;
  if (IS_LONG) stdout.write(`${calls.length} calls, ${lost} lost with their node, ${billed.size} of them billed\n`);
  expect(billed.size).toBeLessThanOrEqual(lost);
}

/** A limit was not exceeded, and was used before it refused a call for good. */
function expectWithin({ team, name, refusedAt, statuses }: LoadResult, calls: readonly ExportedCall[]): void {
  expect(Object.keys(statuses).filter((status) => !['0', '200', '402', '429', '503'].includes(status))).toEqual([]);
  if (team === 'concurrent' || team === 'steady') return;
  const own = calls.filter((call) => (team === 'sessions' ? call.session === name : call.tags['team'] === name));
  const before = own.filter(({ startedAt }) => Date.parse(startedAt) <= (refusedAt ?? 0));
  const { amount } = load.limit(team);
  const used = (some: readonly ExportedCall[]): number => (team === 'calls' ? some.length : dollars(some));
  const needMax = team === 'calls' ? 1 : NEED_NANO_MAX / NANO_PER_USD;
  if (IS_LONG) stdout.write(`${name}: ${(used(before) / amount).toFixed(4)} used before the first refusal\n`);
  expect(used(own), name).toBeLessThanOrEqual(amount + 1e-9);
  expect(used(own), name).toBeGreaterThan(amount - needMax);
  if (IS_LONG) expect(used(before), name).toBeGreaterThanOrEqual(amount * USED_LEAST);
}

/** What calls count under a limit on dollars: calls without a response count their maximum. */
function dollars(calls: readonly ExportedCall[]): number {
  return calls.reduce((sum, { cost, uncertainUpTo = 0 }) => sum + (cost ?? 0) + uncertainUpTo, 0);
}

/** Figures that each node shows of a limit. */
function figures(team: 'dollars' | 'calls' | 'concurrent', calls: readonly ExportedCall[]): { counted: unknown } {
  const own = calls.filter(({ tags }) => tags['team'] === team);
  if (team === 'concurrent') return { counted: 0 };
  return { counted: team === 'calls' ? own.length : (expect.closeTo(dollars(own), 8) as number) };
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client(cluster.server.url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}
