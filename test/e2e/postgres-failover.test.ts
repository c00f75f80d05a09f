import { Client } from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { eventually } from '../service.ts';
import { type Forwarder, startForwarder } from '../support/forwarder.ts';
import { type PostgresServer, startPostgres, startStandby } from '../support/postgres-server.ts';
import { TEST_SECRET, temporaryFolder } from '../support/temporary-records.ts';
import { Limited } from './limited.ts';

// The primary server dies, and a standby takes over that lacks its last commits. What the provider has billed is the truth.

const CALLS = 10;
const NANO_PER_USD = 1e9;
/** Wait of the shipper between two attempts, at most, with some time to ship. */
const SHIPS_MS_MAX = 90_000;

let primary: PostgresServer;
let standby: PostgresServer;
let forwarder: Forwarder;
let limited: Limited;
beforeEach(async () => {
  primary = await startPostgres();
  standby = await startStandby(primary);
  forwarder = await startForwarder(portOf(primary));
  const url = Object.assign(new URL(primary.url), { port: String(forwarder.port) }).href;
  limited = await Limited.start({
    dataDir: temporaryFolder(),
    env: { SVC_DATABASE_URL: url, SVC_SECRET: TEST_SECRET },
  });
});
afterEach(async () => {
  await limited?.close();
  forwarder?.close();
  await standby?.stop();
  await primary?.stop();
});

function portOf({ url }: PostgresServer): number {
  return Number(new URL(url).port);
}

async function run(server: PostgresServer, ...statements: string[]): Promise<void> {
  const client = new Client(server.url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

async function callMany(model: string): Promise<void> {
  const call = async (): Promise<void> => {
    const { status, text } = await limited.call({ provider: 'openai', model, maxTokens: 100 });
    expect(status, text).toBe(200);
  };
  await Promise.all(Array.from({ length: CALLS }, call));
}

const summary = (): Promise<UsageSummary> => limited.service.report<UsageSummary>('/api/mcp/usage/summary');

async function expectBilled(models: readonly string[]): Promise<void> {
  const found = await eventually(
    () => summary().catch(() => null),
    (answer) => (answer?.totalCalls ?? 0) >= CALLS * models.length,
    SHIPS_MS_MAX,
  );
  expect(found?.totalCalls).toBe(CALLS * models.length);
  expect(found?.totalCost).toBeCloseTo(Number(limited.double.bill.total()) / NANO_PER_USD, 9);
  expect(Object.keys(found?.byModel ?? {}).toSorted()).toEqual(models.toSorted());
}

test(
  'calls that a failover lost are recorded again under their own names',
  async () => {
    await callMany('gpt-5-mini');
    await expectBilled(['gpt-5-mini']);
    await run(standby, "ALTER SYSTEM SET primary_conninfo = ''", 'SELECT pg_reload_conf()');
    await eventually(
      async () => await replicas(),
      (count) => count === 0,
    );
    await callMany('gpt-4.1');
    await expectBilled(['gpt-5-mini', 'gpt-4.1']);
    await primary.crash();
    await run(standby, 'SELECT pg_promote()');
    forwarder.to(portOf(standby));
    await expectBilled(['gpt-5-mini', 'gpt-4.1']);
    await callMany('gpt-5');
    await expectBilled(['gpt-5-mini', 'gpt-4.1', 'gpt-5']);
  },
  2 * SHIPS_MS_MAX,
);

async function replicas(): Promise<number> {
  const client = new Client(primary.url);
  await client.connect();
  const { rows } = await client.query<{ count: number }>('SELECT count(*)::integer AS count FROM pg_stat_replication');
  await client.end();
  return rows[0]?.count ?? 0;
}
