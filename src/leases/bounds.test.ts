import { expect, test } from 'vitest';
import type { CounterPlace } from '../domain/limits/limit.ts';
import { counterKey, LEASE_PROTOCOL, type LeaseItem, type LeaseRequest } from './exchange.ts';
import { LeaseAuthority, type LeaseAuthorityOptions } from './lease-authority.ts';
import { NodeLeases } from './node-leases.ts';

function authorityOf(options: Partial<LeaseAuthorityOptions> = {}): LeaseAuthority {
  return new LeaseAuthority({ clock: () => 1_000, amount: () => 100, recall: () => {}, ...options });
}

function placeOf(counter: number, windowStart = 0): CounterPlace {
  return { counter, windowStart, value: '' };
}

function needOf(place: CounterPlace, need: number): LeaseItem {
  const [lack, leastLack, wish] = [need, need, need];
  return { ...place, key: counterKey(place), keep: 0, spent: 0, need, lack, leastLack, wish, since: null };
}

function requestOf(items: readonly LeaseItem[], seq = 1): LeaseRequest {
  const of = { protocol: LEASE_PROTOCOL, node: 'a', epoch: 1, generation: 1, changes: 0, position: 0 };
  return { ...of, seq, isComplete: true, isHeartbeat: false, items };
}

test('an authority with its maximum of nodes says so, and forgotten nodes make room', () => {
  let now = 1_000;
  const authority = authorityOf({ nodesMax: 2, clock: () => now });
  authority.register('a', 1);
  authority.register('b', 1);
  expect(() => authority.register('c', 1)).toThrow('Limits are shared among 2 nodes, which is the maximum.');
  authority.register('a', 2);
  now += 63_000;
  expect(authority.forget('b', 'count')).toBe(true);
  expect(authority.register('c', 1).epoch).toBe(1);
});

test('an authority with its maximum of counters grants nothing of others, and counts what was used of them', () => {
  const authority = authorityOf({ countersMax: 1 });
  authority.register('a', 1);
  const answer = authority.exchange(requestOf([needOf(placeOf(1), 5), needOf(placeOf(2), 5)]));
  expect(answer).toMatchObject({
    grants: [
      { given: 5, state: 'granted' },
      { given: 0, state: 'unready' },
    ],
  });
  authority.ship('a', 1, 0, 1, [{ place: placeOf(2), counted: 7 }]);
  expect(authority.standing(counterKey(placeOf(2)))?.taken).toBe(7);
});

test('counters of past windows are dropped, and those of windows that never end stay', () => {
  const authority = authorityOf();
  for (const windowStart of [0, 1_000, 2_000]) authority.correct(placeOf(1, windowStart), 1);
  authority.correct(placeOf(2, 1_000), 1);
  authority.prune([{ counter: 1, before: 2_000 }]);
  const left = Array.from(authority.standings(), ({ place }) => counterKey(place));
  expect(left).toEqual([placeOf(1), placeOf(1, 2_000), placeOf(2, 1_000)].map(counterKey));
});

test('a node that left is not waited for when an amount was lowered', () => {
  const authority = authorityOf();
  authority.register('a', 1);
  const change = authority.change();
  expect(authority.isInForce(change)).toBe(false);
  authority.leave('a', 2);
  expect(authority.isInForce(change)).toBe(false);
  authority.leave('a', 1);
  expect(authority.isInForce(change)).toBe(true);
});

test('calls that were open before their limit was created leave no room when they end', () => {
  const leases = new NodeLeases({ node: 'a', position: 0 });
  const cell = leases.openNew(placeOf(1), 0);
  cell.hold(2);
  cell.settle(2, 0, 0);
  expect(cell.room).toBe(0);
});

test('a process with its maximum of cells opens no further ones', () => {
  const leases = new NodeLeases({ node: 'a', position: 0, cellsMax: 1 });
  const cell = leases.cell(placeOf(1), 0);
  expect(cell).not.toBeNull();
  expect(leases.cell(placeOf(2), 0)).toBeNull();
  expect(leases.cell(placeOf(1), 0)).toBe(cell);
});
