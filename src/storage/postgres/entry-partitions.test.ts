import { expect, onTestFinished, test } from 'vitest';
import { entryOf } from '../../../test/support/arbitrary-entry.ts';
import { append, WORKSPACE } from '../../../test/support/filled-store.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { DAY_MS } from '../../domain/time/units.ts';
import type { LedgerStore } from '../store.ts';
import { dropOldPartitions, preparePartitions } from './entry-partitions.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { openPostgresStore } from './postgres-store.ts';

const NOVEMBER = Date.UTC(2026, 10, 23);
const MONTHS = ['entries_2026_11', 'entries_2026_12', 'entries_2027_01'];
/** Start of each month from October on. */
const STARTS = [9, 10, 11, 12].map((month) => Date.UTC(2026, month));
const RANGE = { start: Date.UTC(2026, 0), end: Date.UTC(2028, 0) };

async function openPool(url: string): Promise<PostgresPool> {
  const pool = new PostgresPool(parsePostgresAddress(url), { connectionsMax: 3 });
  onTestFinished(() => pool.close());
  return pool;
}

async function open(): Promise<{ url: string; pool: PostgresPool; store: LedgerStore }> {
  const url = await temporaryDatabase(LEDGER_TEMPLATE);
  const pool = await openPool(url);
  return { url, pool, store: openPostgresStore(pool) };
}

/** Returns an entry from each month. */
function entriesOf(workspaceId: string): Entry[] {
  return STARTS.map((startedAt, index) =>
    entryOf(`${workspaceId}_${index}`, { workspaceId, startedAt, cost: index === 1 ? null : 1_000 }),
  );
}

async function countByTable(pool: PostgresPool): Promise<unknown> {
  const rows = await pool.lists({ text: 'SELECT tableoid::regclass::text, count(*) FROM entries GROUP BY 1' });
  return Object.fromEntries(rows);
}

async function listCalls(store: LedgerStore, workspaceId = WORKSPACE): Promise<string[]> {
  const page = await store.reports.entriesPage(workspaceId, { range: RANGE, filter: {}, cursor: null, limit: 100 });
  return page.rows.map(({ entry }) => entry.callId);
}

test('several processes create the partitions of this month and the next two once', async () => {
  const { url, pool } = await open();
  const others = await Promise.all([pool, await openPool(url)].map((one) => preparePartitions(one, NOVEMBER)));
  expect(others.flat().toSorted()).toEqual(MONTHS);
  expect(await preparePartitions(pool, NOVEMBER)).toEqual([]);
  expect(await preparePartitions(pool, Date.UTC(2026, 11, 1))).toEqual(['entries_2027_02']);
});

test('entries are stored once in the partition of their month, and found in all of them', async () => {
  const { pool, store } = await open();
  await preparePartitions(pool, NOVEMBER);
  const entries = entriesOf(WORKSPACE);
  expect(await append(store, entries, 1)).toBe(4);
  expect(await append(store, entries, 1)).toBe(0);
  expect(await countByTable(pool)).toEqual({
    entries_other: 1,
    entries_2026_11: 1,
    entries_2026_12: 1,
    entries_2027_01: 1,
  });
  expect(await listCalls(store)).toEqual(entries.map(({ callId }) => callId).toReversed());
  expect((await store.reports.find(WORKSPACE, `${WORKSPACE}_2`)).map(({ entry }) => entry)).toEqual([entries[2]]);
  expect((await store.reports.summary(WORKSPACE, RANGE)).total.calls).toBe(4);
});

test('a month that has entries without a partition stays as it is', async () => {
  const { pool, store } = await open();
  await append(store, entriesOf(WORKSPACE));
  expect(await preparePartitions(pool, NOVEMBER)).toEqual([]);
  expect(await preparePartitions(pool, Date.UTC(2027, 1))).toEqual([
    'entries_2027_02',
    'entries_2027_03',
    'entries_2027_04',
  ]);
  expect(await listCalls(store)).toHaveLength(4);
});

test('retention deletes a partition as a whole, once no workspace retains it, and its sums stay', async () => {
  const { pool, store } = await open();
  await preparePartitions(pool, NOVEMBER);
  for (const workspaceId of [WORKSPACE, 'ws_other']) await append(store, entriesOf(workspaceId));
  const before = Date.UTC(2026, 11, 15);
  const total = async () => (await store.reports.summary(WORKSPACE, RANGE)).total;
  const sums = await total();
  expect(await store.entries.prune(WORKSPACE, before, 100)).toBe(3);
  // The other workspace retains its entries.
  expect(await listCalls(store, 'ws_other')).toHaveLength(4);
  expect(await store.entries.prune('ws_other', before, 1)).toBe(1);
  expect(await countByTable(pool)).toEqual({ entries_2026_12: 1, entries_2027_01: 2 });
  expect(await dropOldPartitions(pool, before)).toEqual([]);
  expect(await pool.lists({ text: "SELECT to_regclass('entries_2026_11')::text" })).toEqual([[null]]);
  expect(await pool.lists({ text: 'SELECT count(*) FROM unpriced' })).toEqual([[0]]);
  expect(await listCalls(store)).toEqual([`${WORKSPACE}_3`]);
  expect(await total()).toEqual(sums);
});

test('partitions that have not ended stay, though they are empty', async () => {
  const { pool, store } = await open();
  await preparePartitions(pool, NOVEMBER);
  expect(await dropOldPartitions(pool, NOVEMBER + DAY_MS)).toEqual([]);
  await append(store, entriesOf(WORKSPACE));
  expect(await dropOldPartitions(pool, Date.UTC(2027, 0))).toEqual([]);
});
