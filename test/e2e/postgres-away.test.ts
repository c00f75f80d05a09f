import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { UsageSummary } from '../../src/contract/usage.ts';
import { eventually, startService } from '../service.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { TEST_SECRET, temporaryFolder } from '../support/temporary-records.ts';
import { Limited } from './limited.ts';

// The database goes away while the service runs. What the provider has billed is the truth.

const CALLS = 20;
const NANO_PER_USD = 1e9;
/** Wait of the shipper between two attempts, at most, with some time to ship. */
const SHIPS_MS_MAX = 60_000;

let server: PostgresServer;
let limited: Limited;
beforeEach(async () => {
  server = await startPostgres();
  const env = { SVC_DATABASE_URL: server.url, SVC_SECRET: TEST_SECRET };
  limited = await Limited.start({ dataDir: temporaryFolder(), env });
});
afterEach(async () => {
  await limited?.close();
  await server?.stop();
});

async function call(): Promise<void> {
  const { status, text } = await limited.call({ provider: 'openai', model: 'gpt-5-mini', maxTokens: 100 });
  expect(status, text).toBe(200);
}

async function callMany(): Promise<void> {
  await Promise.all(Array.from({ length: CALLS }, call));
}

/** Dollars and calls in the ledger, and on the provider's bill. */
async function expectBilled(calls: number): Promise<void> {
  await limited.idle();
  const { totalCost, totalCalls } = await limited.service.report<UsageSummary>('/api/mcp/usage/summary');
  expect(totalCalls).toBe(calls);
  expect(totalCost).toBeCloseTo(Number(limited.double.bill.total()) / NANO_PER_USD, 9);
}

test(
  'without the database calls continue, the API answers 503, and every call is recorded later',
  async () => {
    await limited.limit({ unit: 'usd', amount: 100, window: 'day' });
    const { id: keyId, key } = await limited.createKey('openai');
    await limited.limit({ scope: { kind: 'each', of: 'session', keyId }, unit: 'usd', amount: 1 });
    await callMany();
    await expectBilled(CALLS);
    await server.crash();
    await callMany();
    const headers = { 'x-svc-session': 'new' };
    const inSession = await limited.call({ provider: 'openai', model: 'gpt-5-mini', maxTokens: 100, key, headers });
    expect(inSession).toMatchObject({ status: 503, text: expect.stringContaining('The ledger did not answer') });
    const away = limited.service.report('/api/manage/keys');
    await expect(away).rejects.toThrow(
      / 503 {"error":"PostgreSQL can't be reached .+ Try again\.","type":"unavailable"/,
    );
    expect(await limited.metric('journal_lag')).toBe(CALLS);
    await eventually(
      () => fetch(`${limited.service.baseUrl}/readyz`),
      ({ status }) => status === 503,
    );
    const askBalancer = async (path: string): Promise<number> =>
      (await fetch(`${limited.service.baseUrl}${path}`)).status;
    expect([await askBalancer('/callz'), await askBalancer('/callz/limited')]).toEqual([200, 200]);
    await server.start();
    await expectBilled(2 * CALLS);
  },
  SHIPS_MS_MAX,
);

test(
  'after a kill -9 without the database, the service waits for it and records what the journal has',
  async () => {
    await callMany();
    await limited.idle();
    await server.crash();
    await callMany();
    const waits = Promise.withResolvers<void>();
    const onOutput = (text: string): void => {
      if (text.includes('The service waits for the database.')) waits.resolve();
    };
    const started = limited.killAndStart({ onOutput });
    await waits.promise;
    await server.start();
    await started;
    await expectBilled(2 * CALLS);
  },
  SHIPS_MS_MAX,
);

test('a service on a copy of the data folder does not start, and names the first', async () => {
  const env = { SVC_DATABASE_URL: server.url, SVC_SECRET: TEST_SECRET };
  const copy = temporaryFolder();
  cpSync(join(limited.service.dataDir, 'journal'), join(copy, 'journal'), { recursive: true });
  const second = startService({ urls: {}, dataDir: copy, env });
  await expect(second).rejects.toThrow(`is in use by process ${limited.service.pid} on `);
  await callMany();
  await expectBilled(CALLS);
});
