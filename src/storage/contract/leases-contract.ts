import { expect, test } from 'vitest';
import type { TestLeaseOptions, TestLeases } from '../../../test/support/lease-stores.ts';
import type { CounterPlace } from '../../domain/limits/limit.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseItem, type LeaseRequest } from '../../leases/exchange.ts';

const LEASE_OVER_MS = 3_100;
const START = 1_000_000;

function placeAt(counter: number, windowStart = 0): CounterPlace {
  return { counter, windowStart, value: '' };
}

function itemAt(counter: number, change: Partial<LeaseItem> = {}): LeaseItem {
  const { need = 0 } = change;
  const asks = { need, lack: need, leastLack: need, wish: need, since: null };
  return { ...placeAt(counter), key: counterKey(placeAt(counter)), keep: 0, spent: 0, ...asks, ...change };
}

function requestFrom(node: string, seq: number, change: Partial<LeaseRequest> = {}): LeaseRequest {
  const process = { protocol: LEASE_PROTOCOL, node, epoch: 1, generation: 1, changes: 1, position: 0 };
  return { ...process, seq, isComplete: seq === 1, isHeartbeat: false, items: [], ...change };
}

/** The guarantees of an authority that nodes share. */
export function leasesContract(engine: string, open: (options?: TestLeaseOptions) => Promise<TestLeases>): void {
  const openWithAmount = async (): Promise<TestLeases> => {
    const leases = await open();
    await leases.setTime(START);
    await leases.setAmount(1, 100);
    return leases;
  };

  test(`${engine}: an exchange that comes twice, or late, changes nothing`, async () => {
    const { store } = await openWithAmount();
    await store.register('a', 1);
    const request = requestFrom('a', 1, { items: [itemAt(1, { need: 10 })] });
    expect(await store.exchange(request)).toMatchObject({ kind: 'granted', grants: [{ given: 10, state: 'granted' }] });
    expect(await store.exchange(request)).toEqual({ kind: 'stale', seq: 1 });
    expect(await store.standings([1])).toMatchObject([{ taken: 10 }]);
  });

  test(`${engine}: a process that was replaced is stale`, async () => {
    const { store } = await openWithAmount();
    await store.register('a', 1);
    await store.register('a', 2);
    expect(await store.exchange(requestFrom('a', 1))).toEqual({ kind: 'stale', seq: 1 });
    expect(await store.exchange(requestFrom('a', 1, { epoch: 2 }))).toMatchObject({ kind: 'granted' });
  });

  test(`${engine}: a node says first what it has, and only once its calls are shipped`, async () => {
    const { store, ship } = await openWithAmount();
    await store.register('a', 1);
    expect(await store.exchange(requestFrom('a', 1, { isComplete: false }))).toEqual({
      kind: 'restate',
      seq: 1,
      generation: 1,
    });
    expect(await store.exchange(requestFrom('a', 1, { position: 2 }))).toEqual({ kind: 'unshipped', seq: 1, mark: 0 });
    await ship({ node: 'a', epoch: 1, from: 0, to: 2, uses: [{ place: placeAt(1), counted: 7 }] });
    const items = [itemAt(1, { keep: null })];
    expect(await store.exchange(requestFrom('a', 1, { position: 2, items }))).toMatchObject({
      grants: [{ given: 0, adopted: 7, state: 'granted' }],
    });
  });

  test(`${engine}: two nodes never get more than the amount`, async () => {
    const { store } = await openWithAmount();
    for (const node of ['a', 'b']) await store.register(node, 1);
    for (const node of ['a', 'b']) await store.exchange(requestFrom(node, 1));
    const items = [itemAt(1, { need: 60 })];
    expect(await store.exchange(requestFrom('a', 2, { items }))).toMatchObject({ grants: [{ given: 60 }] });
    expect(await store.exchange(requestFrom('b', 2, { items }))).toMatchObject({
      grants: [{ given: 0, state: 'scarce', since: START }],
    });
    expect(await store.exchange(requestFrom('a', 3, { isHeartbeat: true }))).toMatchObject({ scarce: [placeAt(1)] });
    await store.exchange(requestFrom('a', 4, { items: [itemAt(1, { keep: 30, spent: 30 })] }));
    expect(await store.exchange(requestFrom('b', 3, { items }))).toMatchObject({ grants: [{ given: 60 }] });
    const more = [itemAt(1, { keep: 60, spent: 60, need: 20 })];
    expect(await store.exchange(requestFrom('b', 4, { items: more }))).toMatchObject({ grants: [{ state: 'spent' }] });
  });

  test(`${engine}: a complete statement returns what it does not name`, async () => {
    const { store, ship } = await openWithAmount();
    await store.register('a', 1);
    await store.exchange(requestFrom('a', 1, { items: [itemAt(1, { need: 10 }), itemAt(2)] }));
    await ship({ node: 'a', epoch: 1, from: 0, to: 1, uses: [{ place: placeAt(1), counted: 3 }] });
    await store.exchange(requestFrom('a', 2, { isComplete: true }));
    const [standing] = await store.standings([1]);
    expect(standing).toMatchObject({ taken: 3 });
    expect(standing?.grants.get('a')).toEqual({ granted: 3, spent: 3, used: 3 });
  });

  test(`${engine}: shipped calls count once, from the mark on`, async () => {
    const { store, setAmount, ship } = await openWithAmount();
    await setAmount(2, 100);
    await store.register('a', 1);
    const uses = [placeAt(1), placeAt(2), placeAt(1)].map((place) => ({ place, counted: 4 }));
    const shipment = { node: 'a', epoch: 1, from: 0, to: 3, uses };
    expect(await ship({ ...shipment, epoch: 2 })).toBeNull();
    expect(await ship(shipment)).toBe(3);
    expect(await ship(shipment)).toBe(3);
    expect(await store.standings([1, 2])).toMatchObject([{ taken: 8 }, { taken: 4 }]);
  });

  test(`${engine}: amounts beyond what a number holds stay exact`, async () => {
    const { store, ship } = await openWithAmount();
    await store.register('a', 1);
    const counted = Number.MAX_SAFE_INTEGER;
    for (const at of [0, 1])
      await ship({ node: 'a', epoch: 1, from: at, to: at + 1, uses: [{ place: placeAt(1), counted }] });
    const items = [itemAt(1, { keep: null, need: 1 })];
    const adopted = 2n * BigInt(counted);
    expect(await store.exchange(requestFrom('a', 1, { items }))).toMatchObject({
      grants: [{ adopted, state: 'spent' }],
    });
  });

  test(`${engine}: a change is in force once every node that can admit works with it`, async () => {
    const { store, setTime, setAmount } = await openWithAmount();
    await store.register('a', 1);
    await store.exchange(requestFrom('a', 1));
    await setAmount(1, 50);
    const change = await store.changes();
    expect(await store.isInForce(change)).toBe(false);
    expect(await store.exchange(requestFrom('a', 2))).toMatchObject({ isRenewed: false });
    expect(await store.isInForce(change)).toBe(false);
    expect(await store.exchange(requestFrom('a', 3, { changes: change }))).toMatchObject({ isRenewed: true });
    expect(await store.isInForce(change)).toBe(true);
    await setAmount(1, 40);
    const next = await store.changes();
    await setTime(START + LEASE_OVER_MS);
    expect(await store.isInForce(next)).toBe(true);
  });

  test(`${engine}: a node that left is not waited for`, async () => {
    const { store, setAmount } = await openWithAmount();
    await store.register('a', 1);
    await setAmount(1, 50);
    const change = await store.changes();
    await store.leave('a', 2);
    expect(await store.isInForce(change)).toBe(false);
    await store.leave('a', 1);
    expect(await store.isInForce(change)).toBe(true);
  });

  test(`${engine}: after a failover nothing is granted until every node has stated what it has`, async () => {
    const { store } = await openWithAmount();
    for (const node of ['a', 'b']) await store.register(node, 1);
    for (const node of ['a', 'b']) await store.exchange(requestFrom(node, 1));
    await store.promote(7);
    const items = [itemAt(1, { need: 10 })];
    const complete = { generation: 7, isComplete: true, items };
    expect(await store.exchange(requestFrom('a', 2, { items }))).toEqual({ kind: 'restate', seq: 2, generation: 7 });
    expect(await store.exchange(requestFrom('a', 2, complete))).toMatchObject({
      grants: [{ given: 0, state: 'unready' }],
    });
    await store.exchange(requestFrom('b', 2, { ...complete, items: [itemAt(1, { keep: 95, spent: 0 })] }));
    expect(await store.exchange(requestFrom('a', 3, complete))).toMatchObject({
      grants: [{ given: 0, state: 'scarce' }],
    });
  });

  test(`${engine}: grants of a node that is gone stay counted until an operator says what they were`, async () => {
    const { store, setTime, ship } = await openWithAmount();
    await store.register('a', 1);
    await store.exchange(requestFrom('a', 1, { items: [itemAt(1, { need: 50 })] }));
    await ship({ node: 'a', epoch: 1, from: 0, to: 1, uses: [{ place: placeAt(1), counted: 20 }] });
    expect(await store.forget('a', 'free')).toBe(false);
    await setTime(START + LEASE_OVER_MS);
    expect(await store.standings([1])).toMatchObject([{ taken: 50 }]);
    expect(await store.forget('a', 'count')).toBe(true);
    expect(await store.standings([1])).toMatchObject([{ taken: 50 }]);
    expect(await store.forget('a', 'free')).toBe(true);
    expect(await store.standings([1])).toMatchObject([{ taken: 20 }]);
    expect(await store.forget('unknown', 'free')).toBe(true);
    expect(await store.exchange(requestFrom('a', 2))).toEqual({ kind: 'stale', seq: 2 });
  });

  test(`${engine}: corrections count without a node, in both directions`, async () => {
    const { store, correct } = await openWithAmount();
    await correct(placeAt(1), 30);
    await correct(placeAt(1), -10);
    expect(await store.standings([1])).toMatchObject([{ base: 20, taken: 20 }]);
  });

  test(`${engine}: counters of past windows are dropped, and those of windows that never end stay`, async () => {
    const { store, setAmount, correct, prune } = await openWithAmount();
    await setAmount(2, 100);
    for (const windowStart of [0, 1_000, 2_000]) await correct(placeAt(1, windowStart), 1);
    await correct(placeAt(2, 1_000), 1);
    await prune([{ counter: 1, before: 2_000 }]);
    const left = (await store.standings([1, 2])).map(({ place }) => place);
    expect(left).toEqual([placeAt(1), placeAt(1, 2_000), placeAt(2, 1_000)]);
  });

  test(`${engine}: counters of removed limits are dropped, and those of limits that are newer than the list stay`, async () => {
    const { store, setAmount, correct } = await open();
    for (const counter of [1, 2, 3, 4]) {
      await setAmount(counter, 100);
      await correct(placeAt(counter), 1);
    }
    await store.keepOnly([1, 3]);
    const left = (await store.standings([1, 2, 3, 4])).map(({ place }) => place);
    expect(left).toEqual([placeAt(1), placeAt(3), placeAt(4)]);
  });

  test(`${engine}: the maximum of nodes is refused with a sentence, and forgotten nodes make room`, async () => {
    const { store, setTime } = await open({ nodesMax: 2 });
    await store.register('a', 1);
    await store.register('b', 1);
    await expect(store.register('c', 1)).rejects.toThrow('Limits are shared among 2 nodes, which is the maximum.');
    await store.register('a', 2);
    await setTime(LEASE_OVER_MS);
    expect(await store.forget('b', 'count')).toBe(true);
    expect(await store.register('c', 1)).toEqual({ epoch: 1, generation: 1 });
  });
}

const SESSION: CounterPlace = { counter: 1, windowStart: 0, value: 'session' };
const DAY_MS = 86_400_000;

/** The guarantees of idle counters, where a ledger has what was counted. */
export function idleLeasesContract(engine: string, open: () => Promise<TestLeases>): void {
  const itemOf = (change: Partial<LeaseItem>): LeaseItem => ({
    ...itemAt(1, change),
    ...SESSION,
    key: counterKey(SESSION),
  });
  /** A node used 7 of 100, and has what `keep` says. */
  const openUsed = async (keep: number): Promise<TestLeases> => {
    const leases = await open();
    const { store, ship, setTime, setAmount } = leases;
    await setTime(START);
    await setAmount(1, 100);
    await store.register('a', 1);
    await store.exchange(requestFrom('a', 1, { items: [itemOf({ need: 10 })] }));
    await ship({ node: 'a', epoch: 1, from: 0, to: 1, uses: [{ place: SESSION, counted: 7 }] });
    await store.exchange(requestFrom('a', 2, { items: [itemOf({ keep, spent: 7 })] }));
    await setTime(START + DAY_MS);
    return leases;
  };
  const check = { counter: 1, before: START + 1, after: '', limit: 10 };

  test(`${engine}: an idle counter is dropped, and comes back with what the ledger has counted`, async () => {
    const { store } = await openUsed(7);
    await store.exchange(requestFrom('a', 3, { isHeartbeat: true }));
    expect(await store.pruneIdle({ ...check, before: START })).toBeNull();
    expect(await store.standings([1])).toMatchObject([{ taken: 7 }]);
    expect(await store.pruneIdle(check)).toBeNull();
    expect(await store.standings([1])).toEqual([]);
    const items = [itemOf({ keep: null, need: 94 })];
    expect(await store.exchange(requestFrom('a', 4, { position: 1, items }))).toMatchObject({
      grants: [{ adopted: 0, given: 0, state: 'spent', spent: 7 }],
    });
    expect(await store.exchange(requestFrom('a', 5, { items: [itemOf({ need: 93 })] }))).toMatchObject({
      grants: [{ given: 93 }],
    });
  });

  test(`${engine}: an idle counter stays while a node may use it, or may come back with it`, async () => {
    const unused = await openUsed(10);
    await unused.store.exchange(requestFrom('a', 3, { isHeartbeat: true }));
    await unused.store.pruneIdle(check);
    expect(await unused.store.standings([1])).toMatchObject([{ taken: 10 }]);
    const silent = await openUsed(7);
    await silent.store.pruneIdle(check);
    expect(await silent.store.standings([1])).toMatchObject([{ taken: 7 }]);
    await silent.store.leave('a', 1);
    await silent.store.pruneIdle(check);
    expect(await silent.store.standings([1])).toEqual([]);
  });
}
