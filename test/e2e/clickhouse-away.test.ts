import { afterEach, beforeEach, expect, test } from 'vitest';
import type { EntriesPage, EntryShape } from '../../src/contract/entries.ts';
import type { DoctorReport } from '../../src/contract/installation.ts';
import type { TagUsageRow, UsageSeries, UsageSummary } from '../../src/contract/usage.ts';
import { eventually } from '../service.ts';
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse-server.ts';
import { temporaryDatabase } from '../support/postgres.ts';
import { TEST_SECRET, temporaryFolder } from '../support/temporary-records.ts';
import { Limited } from './limited.ts';

// The whole service with entries in ClickHouse. What the provider has billed is the truth.

const CALLS = 12;
const NANO_PER_USD = 1e9;
/** Wait of the shipper between two attempts, at most, with some time to ship on a busy machine. */
const SHIPS_MS_MAX = 180_000;

let clickhouse: ClickhouseServer;
let limited: Limited;
beforeEach(async () => {
  clickhouse = await startClickhouse();
  const env = {
    SVC_DATABASE_URL: await temporaryDatabase(),
    SVC_SECRET: TEST_SECRET,
    SVC_CLICKHOUSE_URL: clickhouse.url,
  };
  limited = await Limited.start({ dataDir: temporaryFolder(), env });
});
afterEach(async () => {
  await limited?.close();
  await clickhouse?.stop();
});

async function callMany(): Promise<void> {
  const headers = { 'x-svc-session': 'nightly', 'x-svc-agent': 'reader' };
  const tags = { team: 'search' };
  const ask = { provider: 'openai', model: 'gpt-5-mini', maxTokens: 100, headers, tags } as const;
  const replies = await Promise.all(Array.from({ length: CALLS }, () => limited.call(ask)));
  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
}

function billed(): number {
  return Number(limited.double.bill.total()) / NANO_PER_USD;
}

function sumCosts(rows: readonly { readonly cost: number | null }[]): number {
  return rows.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
}

async function exportCalls(): Promise<EntryShape[]> {
  const authorization = `Bearer ${await limited.service.createToken(['admin'])}`;
  const answer = await fetch(`${limited.service.baseUrl}/api/manage/export?format=jsonl`, {
    headers: { authorization },
  });
  const lines = (await answer.text()).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as EntryShape);
}

/** Compares the dollars of the ledger with the bill: from roll-ups, from entries, and from both. */
async function expectBilled(calls: number): Promise<void> {
  await limited.idle();
  const { service } = limited;
  const summary = await service.report<UsageSummary>('/api/mcp/usage/summary');
  expect(summary.totalCalls).toBe(calls);
  expect(summary.totalCost).toBeCloseTo(billed(), 9);
  const tags = await service.report<readonly TagUsageRow[]>('/api/mcp/usage/by-tag?tagKey=team');
  expect(sumCosts(tags)).toBeCloseTo(billed(), 9);
  const page = await service.report<EntriesPage>('/api/mcp/entries?limit=200&session=nightly');
  expect(page.entries).toHaveLength(calls);
  expect(sumCosts(page.entries)).toBeCloseTo(billed(), 9);
  const series = await service.report<UsageSeries>('/api/mcp/usage/series?by=agent&tag=team%3Dsearch');
  expect(series.points.map(({ value }) => value)).toEqual(['reader']);
  expect(sumCosts(series.points)).toBeCloseTo(billed(), 9);
  expect(sumCosts(await exportCalls())).toBeCloseTo(billed(), 9);
}

test(
  'without ClickHouse calls continue and lists answer 503, and every call is recorded once it is back',
  async () => {
    await limited.limit({ unit: 'usd', amount: 100, window: 'day' });
    await callMany();
    await expectBilled(CALLS);
    const { checks } = await limited.service.command<DoctorReport>(['doctor']);
    expect(checks.filter(({ name }) => name.startsWith('clickhouse'))).toMatchObject([
      { name: 'clickhouse', state: 'ok' },
      { name: 'clickhouse disk' },
      { name: 'clickhouse lag', state: 'ok' },
    ]);
    await clickhouse.crash();
    await callMany();
    const list = limited.service.report('/api/mcp/entries');
    await expect(list).rejects.toThrow(
      / 503 {"error":"ClickHouse can't be reached .+ Try again\.","type":"unavailable"/,
    );
    await eventually(
      () => limited.metric('journal_lag'),
      (lag) => lag === CALLS,
    );
    await clickhouse.start();
    await expectBilled(2 * CALLS);
  },
  SHIPS_MS_MAX,
);

test(
  'after a kill -9 without ClickHouse, the service waits for it and records what the journal has',
  async () => {
    await callMany();
    await limited.idle();
    await clickhouse.crash();
    await callMany();
    const waits = Promise.withResolvers<void>();
    const onOutput = (text: string): void => {
      if (text.includes("ClickHouse can't be reached")) waits.resolve();
    };
    const started = limited.killAndStart({ onOutput });
    await waits.promise;
    await clickhouse.start();
    await started;
    await expectBilled(2 * CALLS);
  },
  SHIPS_MS_MAX,
);
