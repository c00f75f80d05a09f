import { expect, onTestFinished, test } from 'vitest';
import { entryOf, FIRST_DAY } from '../../../test/support/arbitrary-entry.ts';
import { WORKSPACE } from '../../../test/support/filled-store.ts';
import { openTestPostgresLeases } from '../../../test/support/lease-stores.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseItem, type LeaseRequest } from '../../leases/exchange.ts';
import { adjustmentOf, DAY, limitOf, touchOf, unpriced } from '../contract/counters-contract.ts';
import type { LedgerStore } from '../store.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { openPostgresStore } from './postgres-store.ts';
import { runTransaction } from './postgres-transaction.ts';

const UNCERTAIN = {
  outcome: 'broken',
  uncertainReason: 'reset',
  usageSource: 'none',
  usage: null,
  cost: null,
  provenance: null,
  counted: { usd: 2_000, inputTokens: 200, outputTokens: 100 },
} as const satisfies Partial<Entry>;
const PLACE = { counter: 1, windowStart: FIRST_DAY, value: '' };

async function openStore() {
  const leases = await openTestPostgresLeases();
  const ledger = openPostgresStore(leases.pool);
  onTestFinished(() => ledger.close());
  return { ...leases, ledger };
}

/** Counters as the ledger and as leases count them. */
const BOTH = `SELECT c.counter, c.value, c.counted, (h.base + coalesce(sum(g.used), 0))::bigint AS leased
  FROM counters c LEFT JOIN lease_heads h USING (counter, window_start, value)
    LEFT JOIN lease_grants g USING (counter, window_start, value)
  GROUP BY 1, 2, 3, h.base ORDER BY 1, 2`;

async function expectEqual(pool: PostgresPool, counted: readonly number[]): Promise<void> {
  const { rows } = await pool.query({ text: BOTH });
  expect(rows.map((row) => [row['counted'], row['leased']])).toEqual(counted.map((sum) => [sum, sum]));
}

async function append(ledger: LedgerStore, journalId: string, mark: number, entries: readonly Entry[]): Promise<void> {
  await ledger.entries.append({ journalId, mark, entries });
}

test('leases count what the ledger counts, in every change of a counter', async () => {
  const { pool, ledger, store, setAmount } = await openStore();
  await setAmount(1, 1_000_000);
  const touched = [touchOf()];
  await append(ledger, 'a', 2, [entryOf('one', { touched }), entryOf('lost', { ...UNCERTAIN, touched })]);
  await append(ledger, 'b', 1, [entryOf('two', { touched })]);
  await expectEqual(pool, [4_000]);
  await ledger.entries.adjust([adjustmentOf('two', { costBefore: 1_000, costAfter: 700 })]);
  await expectEqual(pool, [3_700]);
  await ledger.counters.release(WORKSPACE, { counter: 1, windowStart: FIRST_DAY, until: DAY.end });
  await expectEqual(pool, [1_700]);
  await setAmount(2, 1_000_000);
  await ledger.counters.backfill(limitOf({ counter: 2 }), DAY, unpriced);
  await expectEqual(pool, [1_700, 3_700]);
  // Calls of another node that were shipped later.
  await append(ledger, 'c', 1, [entryOf('three', { touched: [] })]);
  await ledger.counters.backfill(limitOf({ counter: 2 }), DAY, unpriced);
  await expectEqual(pool, [1_700, 4_700]);
  const [first] = await store.standings([1]);
  expect(first).toMatchObject({ base: -2_300, taken: 1_700 });
  expect([...(first?.grants ?? [])].map(([node, { used }]) => [node, used])).toEqual([
    ['a', 3_000],
    ['b', 1_000],
  ]);
  await ledger.counters.prune([{ counter: 1, before: DAY.end }]);
  expect(await store.standings([1])).toMatchObject([{ base: -4_000, taken: 0 }]);
});

test('a limit that begins to block has counted what it counted while it warned', async () => {
  const { pool, ledger, store, setAmount } = await openStore();
  await setAmount(1, 5_000);
  await pool.query({ text: "UPDATE limits SET action = 'warn'" });
  await append(ledger, 'a', 1, [entryOf('one', { touched: [touchOf()] })]);
  expect(await store.standings([1])).toEqual([]);
  await pool.query({ text: "UPDATE limits SET action = 'block'" });
  await store.register('b', 1);
  const asks = { need: 4_500, lack: 4_500, leastLack: 4_500, wish: 4_500, since: null };
  const item: LeaseItem = { ...PLACE, key: counterKey(PLACE), keep: null, spent: 0, ...asks };
  const request: LeaseRequest = {
    protocol: LEASE_PROTOCOL,
    node: 'b',
    epoch: 1,
    seq: 1,
    generation: 1,
    changes: await store.changes(),
    position: 0,
    isComplete: true,
    isHeartbeat: false,
    items: [item],
  };
  expect(await store.exchange(request)).toMatchObject({ grants: [{ given: 0, state: 'spent' }] });
});

/** Transactions of this database that wait for an advisory lock. */
const BLOCKED = `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`;

test('a limit does not begin to block while calls are being stored that it would not count', async () => {
  const { pool, store, setAmount } = await openStore();
  await setAmount(1, 5_000);
  await pool.query({ text: "UPDATE limits SET action = 'warn'" });
  const changes = await store.changes();
  const { blocking } = await runTransaction(pool, async (queries) => {
    await queries.query({ text: `INSERT INTO counters VALUES (1, ${FIRST_DAY}, '', 0, 3000, 0)` });
    const text = "UPDATE limits SET action = 'block'";
    const changing = pool.query({ text });
    while ((await pool.query({ text: BLOCKED })).rows.length === 0);
    expect(await store.changes()).toBe(changes);
    return { blocking: changing };
  });
  await blocking;
  expect(await store.changes()).toBe(changes + 1);
});

test('a node that was never registered begins after the calls that it has shipped', async () => {
  const { ledger, store, setAmount } = await openStore();
  await setAmount(1, 5_000);
  await append(ledger, 'a', 7, [entryOf('one', { touched: [touchOf()] })]);
  await store.register('a', 1);
  const request = { protocol: LEASE_PROTOCOL, node: 'a', epoch: 1, generation: 1, changes: 1, isHeartbeat: false };
  const complete = { ...request, isComplete: true, items: [] };
  expect(await store.exchange({ ...complete, seq: 1, position: 8 })).toEqual({ kind: 'unshipped', seq: 1, mark: 7 });
  expect(await store.exchange({ ...complete, seq: 2, position: 7 })).toMatchObject({ kind: 'granted' });
});
