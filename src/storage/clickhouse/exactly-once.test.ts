import { expect, onTestFinished, test, vi } from 'vitest';
import { entryOf, FIRST_DAY, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { temporaryClickhouse } from '../../../test/support/clickhouse.ts';
import { WORKSPACE } from '../../../test/support/filled-store.ts';
import { openMemoryStore } from '../../../test/support/memory-store/memory-store.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import type { Adjustment, EntryBatch } from '../entry-store.ts';
import { parsePostgresAddress } from '../postgres/postgres-address.ts';
import { PostgresPool } from '../postgres/postgres-pool.ts';
import type { LedgerStore } from '../store.ts';
import { ClickhouseConnection } from './clickhouse-connection.ts';
import { migrateClickhouse } from './clickhouse-schema.ts';
import { openClickhouseStore } from './clickhouse-store.ts';
import { limitOf, unpriced } from '../contract/counters-contract.ts';

vi.setConfig({ testTimeout: 180_000 });
const CALLS = 10;

/** A connection that loses inserts, or what comes after them. */
class FaultyConnection extends ClickhouseConnection {
  fault: 'before' | 'after' | null = null;

  override async insert(table: string, rows: readonly object[]): Promise<void> {
    if (this.fault === 'before') throw new Error('The insert is lost.');
    await super.insert(table, rows);
    if (this.fault === 'after') throw new Error('The process dies after the insert.');
  }
}

interface FaultyStore {
  readonly store: LedgerStore;
  readonly connection: FaultyConnection;
  /** Opens the store as another process would. */
  second(): LedgerStore;
}

async function openFaulty(): Promise<FaultyStore> {
  const [postgres, clickhouse] = [await temporaryDatabase(LEDGER_TEMPLATE), await temporaryClickhouse()];
  const address = parsePostgresAddress(postgres);
  const pools = [1, 2].map(() => new PostgresPool(address, { connectionsMax: 3 }));
  const connection = new FaultyConnection(clickhouse);
  onTestFinished(async () => {
    for (const pool of pools) await pool.close();
    await connection.close();
  });
  await migrateClickhouse(connection);
  const [store, other] = pools.map((pool) => openClickhouseStore(pool, connection));
  if (!store || !other) throw new Error('There are two pools.');
  return { store, connection, second: () => other };
}

/** The calls of a journal from one position up to another. */
function callsOf(journalId: string, after: number, mark: number): EntryBatch {
  const entries = Array.from({ length: mark - after }, (_, index) =>
    entryOf(`call_${String(after + index).padStart(4, '0')}_${journalId}`, {
      startedAt: FIRST_DAY + after + index,
      touched: [{ counter: 1, unit: 'usd', windowStart: FIRST_DAY, value: '' }],
    }),
  );
  return { journalId, mark, entries };
}

function correctionOf(callId: string, costAfter: number): Adjustment {
  return {
    adjustmentId: `adj_${callId}_${costAfter}`,
    callId,
    workspaceId: WORKSPACE,
    recordedAt: FIRST_DAY,
    costBefore: 1_000,
    costAfter,
    provenance: { from: 'price', versions: ['v2'] },
    reason: 'price corrected',
  };
}

async function readAll({ reports, counters }: LedgerStore) {
  const page = await reports.entriesPage(WORKSPACE, { range: WHOLE, filter: {}, cursor: null, limit: 1_000 });
  const [context] = await reports.contextUses(WORKSPACE, { range: WHOLE, by: [], filter: {} });
  return {
    calls: page.rows,
    byRollUp: (await reports.summary(WORKSPACE, WHOLE)).total,
    byEntry: context?.totals,
    counters: await counters.list(0),
  };
}

async function expectSameAs(store: LedgerStore, change: (oracle: LedgerStore) => Promise<unknown>): Promise<void> {
  const oracle = openMemoryStore();
  await change(oracle);
  expect(await readAll(store)).toEqual(await readAll(oracle));
}

test.each(['before', 'after'] as const)(
  'a batch whose insert fails %s it is stored counts once when it is repeated, in larger or smaller parts',
  async (fault) => {
    const { store, connection } = await openFaulty();
    await store.entries.append(callsOf('one', 0, CALLS));
    connection.fault = fault;
    await expect(store.entries.append(callsOf('one', CALLS, 3 * CALLS))).rejects.toThrow('The ');
    connection.fault = null;
    // Nothing of it is part of the ledger, though ClickHouse may have its rows.
    await expectSameAs(store, (oracle) => oracle.entries.append(callsOf('one', 0, CALLS)));
    await store.entries.append(callsOf('one', CALLS, 2 * CALLS));
    await expectSameAs(store, (oracle) => oracle.entries.append(callsOf('one', 0, 2 * CALLS)));
    await store.entries.append(callsOf('one', 2 * CALLS, 5 * CALLS));
    await store.entries.append(callsOf('one', 0, 5 * CALLS));
    await expectSameAs(store, (oracle) => oracle.entries.append(callsOf('one', 0, 5 * CALLS)));
  },
);

test('a backfill between a lost batch and its repetition counts no call of it', async () => {
  const { store, connection } = await openFaulty();
  await store.entries.append(callsOf('one', 0, CALLS));
  connection.fault = 'after';
  await expect(store.entries.append(callsOf('one', CALLS, 2 * CALLS))).rejects.toThrow('The ');
  connection.fault = null;
  const window = { start: FIRST_DAY, end: FIRST_DAY + CALLS * 4 };
  const [state] = await store.counters.backfill(
    limitOf({ counter: 2, unit: 'calls', scope: { kind: 'model', pattern: 'claude-*' } }),
    window,
    unpriced,
  );
  expect(state).toMatchObject({ counted: CALLS });
});

test('a correction is counted once, though ClickHouse loses it or the answer', async () => {
  const { store, connection } = await openFaulty();
  const calls = callsOf('one', 0, 4);
  await store.entries.append(calls);
  const corrections = calls.entries.slice(0, 3).map(({ callId }) => correctionOf(callId, 1_700));
  const faults = ['before', 'after', null] as const;
  for (const [index, fault] of faults.entries()) {
    connection.fault = fault;
    const one = corrections.slice(index, index + 1);
    expect(await store.entries.adjust(one)).toMatchObject({ inserted: 1 });
    connection.fault = null;
    expect(await store.entries.adjust(one)).toMatchObject({ inserted: 0 });
  }
  await expectSameAs(store, async (oracle) => {
    await oracle.entries.append(calls);
    for (const one of corrections) await oracle.entries.adjust([one]);
  });
});

test('two processes with one journal count each of its calls once', async () => {
  const { store, second } = await openFaulty();
  const batches = Array.from({ length: 6 }, (_, index) => callsOf('shared', index * CALLS, (index + 1) * CALLS));
  for (const batch of batches) await Promise.all([store.entries.append(batch), second().entries.append(batch)]);
  await expectSameAs(store, (oracle) => oracle.entries.append(callsOf('shared', 0, 6 * CALLS)));
});
