import { expect, test } from 'vitest';
import { openTestPostgresLeases } from '../../../test/support/lease-stores.ts';
import type { HeldAmount } from '../../domain/limits/limit.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseItem } from '../../leases/exchange.ts';
import { openPostgresNodeAmounts } from './postgres-node-amounts.ts';

const LEASE_OVER_MS = 3_100;
const START = 1_000_000;

function heldAt(counter: number, held: number, value = ''): HeldAmount {
  return { counter, windowStart: 0, value, held };
}

function changed(...amounts: readonly HeldAmount[]) {
  return { isComplete: false, amounts };
}

function complete(...amounts: readonly HeldAmount[]) {
  return { isComplete: true, amounts };
}

async function openAmounts() {
  const { store, pool, setTime, setAmount, ship } = await openTestPostgresLeases();
  await setTime(START);
  await setAmount(1, 100);
  const amounts = openPostgresNodeAmounts(pool, LEASE_OVER_MS);
  for (const node of ['a', 'b']) await store.register(node, 1);
  const elsewhere = async (node: string, ...counters: readonly number[]) =>
    (await amounts.heldElsewhere(counters.length > 0 ? counters : [1, 2], node)).map(({ counter, value, held }) => [
      counter,
      value,
      held,
    ]);
  const grant = async (node: string, need: number): Promise<void> => {
    const asks = { need, lack: need, leastLack: need, wish: need, since: null };
    const place = { counter: 1, windowStart: 0, value: '' };
    const item: LeaseItem = { ...place, key: counterKey(place), keep: 0, spent: 0, ...asks };
    const process = { protocol: LEASE_PROTOCOL, node, epoch: 1, generation: 1, changes: 1, position: 0 };
    await store.exchange({ ...process, seq: 1, isComplete: true, isHeartbeat: false, items: [item] });
  };
  return { amounts, store, elsewhere, grant, setTime, ship };
}

test('a node reads the sum of what all other nodes hold', async () => {
  const { amounts, store, elsewhere } = await openAmounts();
  await store.register('c', 1);
  await amounts.noteHeld('a', 1, complete(heldAt(1, 5), heldAt(2, 7, 'x')));
  await amounts.noteHeld('b', 1, complete(heldAt(1, 3), heldAt(3, 1)));
  expect(await elsewhere('a')).toEqual([[1, '', 3]]);
  expect(await elsewhere('b')).toEqual([
    [2, 'x', 7],
    [1, '', 5],
  ]);
  expect(await elsewhere('c')).toEqual([
    [1, '', 8],
    [2, 'x', 7],
  ]);
  expect(await elsewhere('c', 4)).toEqual([]);
});

test('a statement replaces what it names, and a complete one all', async () => {
  const { amounts, elsewhere } = await openAmounts();
  await amounts.noteHeld('a', 1, complete(heldAt(1, 5), heldAt(2, 7)));
  await amounts.noteHeld('a', 1, changed(heldAt(1, 0), heldAt(2, 8)));
  expect(await elsewhere('b')).toEqual([[2, '', 8]]);
  await amounts.noteHeld('a', 1, complete(heldAt(1, 2)));
  expect(await elsewhere('b')).toEqual([[1, '', 2]]);
  await amounts.noteHeld('a', 1, complete());
  expect(await elsewhere('b')).toEqual([]);
});

test('a process that another one of its node has replaced is not heard, and what it held is forgotten', async () => {
  const { amounts, store, elsewhere } = await openAmounts();
  await amounts.noteHeld('a', 1, complete(heldAt(1, 5)));
  await store.register('a', 2);
  expect(await elsewhere('b')).toEqual([]);
  expect(await amounts.noteHeld('a', 1, complete(heldAt(1, 6)))).toBe(false);
  expect(await elsewhere('b')).toEqual([]);
  expect(await amounts.noteHeld('a', 2, complete(heldAt(1, 7)))).toBe(true);
  expect(await elsewhere('b')).toEqual([[1, '', 7]]);
});

test('all that a silent node was granted counts as held, with the time since it was heard', async () => {
  const { amounts, elsewhere, grant, setTime } = await openAmounts();
  await grant('a', 40);
  await amounts.noteHeld('a', 1, complete(heldAt(1, 5)));
  expect(await elsewhere('b')).toEqual([[1, '', 5]]);
  await setTime(START + LEASE_OVER_MS - 1);
  expect(await elsewhere('b')).toEqual([[1, '', 5]]);
  await setTime(START + LEASE_OVER_MS);
  const [found] = await amounts.heldElsewhere([1], 'b');
  expect(found).toMatchObject({ held: 40, ageMs: LEASE_OVER_MS });
});

test('a silent node holds at least what it said, also under limits that only warn', async () => {
  const { amounts, elsewhere, setTime } = await openAmounts();
  await amounts.noteHeld('a', 1, complete(heldAt(2, 5)));
  await setTime(START + LEASE_OVER_MS);
  expect(await elsewhere('b')).toEqual([[2, '', 5]]);
});

test('a node that has stopped or was forgotten holds only what stays counted for it, at any time', async () => {
  const { amounts, store, elsewhere, grant, setTime } = await openAmounts();
  await grant('a', 40);
  await amounts.noteHeld('a', 1, complete(heldAt(1, 5), heldAt(2, 3)));
  await store.leave('a', 1);
  const [found, ...others] = await amounts.heldElsewhere([1, 2], 'b');
  expect(found).toMatchObject({ held: 40, ageMs: 0 });
  expect(others).toEqual([]);
  await setTime(START + LEASE_OVER_MS);
  await store.forget('a', 'free');
  expect(await elsewhere('b')).toEqual([]);
});

test('the amounts of a node are those of its grants that the ledger has no calls for', async () => {
  const { amounts, store, grant, ship } = await openAmounts();
  await grant('a', 40);
  const place = { counter: 1, windowStart: 0, value: '' };
  await ship({ node: 'a', epoch: 1, from: 0, to: 1, uses: [{ place, counted: 15 }] });
  expect(await amounts.grants()).toEqual([{ node: 'a', unit: 'usd', counters: 1, amount: 25 }]);
  await ship({ node: 'a', epoch: 1, from: 1, to: 2, uses: [{ place, counted: 25 }] });
  expect(await amounts.grants()).toEqual([]);
  await store.leave('a', 1);
});
