import { once } from 'node:events';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openTestPostgresLeases } from '../../../test/support/lease-stores.ts';
import { Dice } from '../../../test/simulation/dice.ts';
import type { CounterPlace } from '../../domain/limits/limit.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseItem, type LeaseRequest } from '../../leases/exchange.ts';
import { idleLeasesContract, leasesContract } from '../contract/leases-contract.ts';
import type { LeaseStore } from '../lease-store.ts';
import { runTransaction } from './postgres-transaction.ts';

leasesContract('postgres', openTestPostgresLeases);
idleLeasesContract('postgres', openTestPostgresLeases);

function itemAt(counter: number, keep: number, need: number): LeaseItem {
  const place: CounterPlace = { counter, windowStart: 0, value: 'x' };
  const asks = { need, lack: need, leastLack: need, wish: 2 * need, since: null };
  return { ...place, key: counterKey(place), keep, spent: 0, ...asks };
}

function requestFrom(node: string, seq: number, items: readonly LeaseItem[], changes = 1): LeaseRequest {
  const process = { protocol: LEASE_PROTOCOL, node, epoch: 1, generation: 1, changes, position: 0 };
  return { ...process, seq, isComplete: seq === 1, isHeartbeat: false, items };
}

/** Transactions of this database that wait for an advisory lock. */
const BLOCKED = `SELECT 1 FROM pg_locks JOIN pg_database d ON d.oid = database
  WHERE d.datname = current_database() AND locktype = 'advisory' AND NOT granted`;

/** Takes and returns random amounts of several counters. Returns what it has at the end. */
async function exchangeOften(store: LeaseStore, node: string, dice: Dice, counters: number): Promise<number[]> {
  const kept = Array.from({ length: counters }, () => 0);
  await store.register(node, 1);
  for (let seq = 1; seq <= 60; seq += 1) {
    for (let at = 0; at < counters; at += 1) kept[at] = dice.whole(0, kept[at] ?? 0);
    const chosen = [...kept.keys()].filter(() => seq === 1 || dice.chance(0.6)).toSorted(() => dice.next() - 0.5);
    const items = chosen.map((at) => itemAt(at + 1, kept[at] ?? 0, dice.whole(0, 8)));
    const answer = await store.exchange(requestFrom(node, seq, items));
    if (answer.kind !== 'granted') throw new Error(answer.kind);
    for (const [index, at] of chosen.entries()) kept[at] = (kept[at] ?? 0) + (answer.grants[index]?.given ?? 0);
  }
  // What was left out of an exchange was not returned in it.
  await store.exchange(
    requestFrom(
      node,
      61,
      kept.map((amount, at) => itemAt(at + 1, amount, 0)),
    ),
  );
  return kept;
}

test('exchanges of many nodes at once never wait for each other in a circle, and never grant too much', async () => {
  const { store, setAmount } = await openTestPostgresLeases();
  const counters = 5;
  for (let at = 1; at <= counters; at += 1) await setAmount(at, 50);
  const nodes = Array.from({ length: 8 }, (_, at) => exchangeOften(store, `node${at}`, new Dice(at), counters));
  const kept = await Promise.all(nodes);
  const standings = await store.standings([1, 2, 3, 4, 5]);
  expect(standings).toHaveLength(counters);
  for (const [at, { taken, base, grants }] of standings.entries()) {
    const granted = [...grants.values()].reduce((sum, grant) => sum + Number(grant.granted), Number(base));
    expect(granted).toBe(taken);
    expect(granted).toBe(kept.reduce((sum, amounts) => sum + (amounts[at] ?? 0), 0));
    expect(granted).toBeLessThanOrEqual(50);
  }
});

test('an exchange is wholly before or wholly after a change of limits', async () => {
  const { store, pool, setAmount } = await openTestPostgresLeases();
  await setAmount(1, 100);
  await store.register('a', 1);
  await store.exchange(requestFrom('a', 1, []));
  const answer = await runTransaction(pool, async (queries) => {
    await queries.query({ text: 'UPDATE limits SET amount = 10 WHERE counter = 1' });
    // As at the end of the transaction.
    await queries.query({ text: 'SET CONSTRAINTS ALL IMMEDIATE' });
    const waiting = store.exchange(requestFrom('a', 2, [itemAt(1, 0, 20)]));
    // It waits for this transaction, so it can't be granted by the old amount.
    while ((await pool.query({ text: BLOCKED })).rows.length === 0);
    return { waiting };
  });
  expect(await answer.waiting).toMatchObject({ isRenewed: false, grants: [{ given: 0, state: 'spent' }] });
});

test('transactions that change what limits allow have a number each, and other changes of limits have none', async () => {
  const { store, pool, setAmount } = await openTestPostgresLeases();
  const afterwards = async (text: string): Promise<number> => {
    await pool.query({ text });
    return await store.changes();
  };
  await setAmount(1, 10);
  expect(await store.changes()).toBe(1);
  expect(await afterwards("UPDATE limits SET label = 'x', backfilled = 1")).toBe(1);
  expect(await afterwards('UPDATE limits SET amount = 9')).toBe(2);
  expect(await afterwards("UPDATE limits SET raise = '{}'")).toBe(3);
  expect(await afterwards('UPDATE limits SET counter = 2')).toBe(4);
  expect(await afterwards("UPDATE limits SET action = 'warn'")).toBe(5);
  await setAmount(3, 10);
  expect(await afterwards('DELETE FROM limits')).toBe(7);
  expect(await afterwards("UPDATE workspaces SET name = 'x'")).toBe(7);
  expect(await afterwards("UPDATE workspaces SET time_zones = '[1]'")).toBe(8);
});

test('a raise counts until it ends', async () => {
  const { store, pool, setAmount, setTime } = await openTestPostgresLeases();
  await setAmount(1, 10);
  const raise = JSON.stringify({ amount: 30, until: 2_000 });
  await pool.query({ text: 'UPDATE limits SET raise = $1', values: [raise] });
  await setTime(1_999);
  await store.register('a', 1);
  expect(await store.exchange(requestFrom('a', 1, [itemAt(1, 0, 25)]))).toMatchObject({ grants: [{ given: 25 }] });
  await setTime(2_000);
  expect(await store.exchange(requestFrom('a', 2, [itemAt(1, 25, 0)]))).toMatchObject({ grants: [{ state: 'tight' }] });
});

test('a server that took over is noticed by the first exchange, and its numbers are new', async () => {
  const { store, pool } = await openTestPostgresLeases();
  await store.register('a', 1);
  await store.exchange(requestFrom('a', 1, []));
  await pool.query({
    text: `CREATE OR REPLACE FUNCTION lease_timeline() RETURNS TEXT LANGUAGE sql VOLATILE AS $$ SELECT '00000002' $$`,
  });
  const refusal = await store.exchange(requestFrom('a', 2, []));
  expect(refusal).toMatchObject({ kind: 'restate' });
  const { generation } = await store.register('b', 1);
  expect(refusal).toMatchObject({ generation });
  expect(generation).not.toBe(1);
});

test('grants survive a crash of a server that forgets other commits', async () => {
  const { store, pool } = await openTestPostgresLeases();
  await store.register('a', 1);
  const connection = await pool.connect();
  await connection.script(
    "SET synchronous_commit = off; BEGIN; SELECT lease_exchange('a', 1, 1, 1, 0, 0, true, false, 1, 1, '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}', '{}')",
  );
  const { rows } = await connection.query({ text: 'SHOW synchronous_commit' });
  await connection.script('ROLLBACK; RESET synchronous_commit');
  connection.release();
  expect(rows).toEqual([{ synchronous_commit: 'on' }]);
});

test('nodes hear which counters they should return', async () => {
  const { store, url, setAmount } = await openTestPostgresLeases();
  const listener = new Client(url);
  await listener.connect();
  onTestFinished(() => listener.end());
  await listener.query('LISTEN tollbook_recalls');
  const heard = once(listener, 'notification');
  await setAmount(1, 10);
  for (const node of ['a', 'b']) await store.register(node, 1);
  await store.exchange(requestFrom('a', 1, [itemAt(1, 0, 8)]));
  await store.exchange(requestFrom('b', 1, [itemAt(1, 0, 5)]));
  expect(await heard).toMatchObject([{ payload: '[[1, 0, "x"]]' }]);
});
