import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changesBy, leadingCause, type PartSum, splitChange } from './changes.ts';

const part = (value: string | null, cost: number, calls = 1, unpricedCalls = 0, unpricedUses = 0): PartSum => ({
  value,
  cost: BigInt(cost),
  calls,
  unpricedCalls,
  unpricedUses,
});

function whole(parts: readonly PartSum[]) {
  return {
    cost: parts.reduce((sum, { cost }) => sum + cost, 0n),
    calls: parts.reduce((sum, { calls }) => sum + calls, 0),
    unpricedCalls: parts.reduce((sum, { unpricedCalls }) => sum + unpricedCalls, 0),
    unpricedUses: parts.reduce((sum, { unpricedUses }) => sum + unpricedUses, 0),
  };
}

function changes(before: readonly PartSum[], after: readonly PartSum[], partsMax = 3) {
  return changesBy({ before, after }, { before: whole(before), after: whole(after) }, partsMax);
}

test('the parts with the largest changes are first, in either direction', () => {
  const { parts, others } = changes(
    [part('a', 10), part('b', 50), part('c', 5), part(null, 3)],
    [part('a', 30), part('b', 10), part('d', 7), part(null, 3)],
  );
  expect(parts.map(({ value, before, after }) => [value, before, after])).toEqual([
    ['b', 50n, 10n],
    ['a', 10n, 30n],
    ['d', 0n, 7n],
  ]);
  expect(others).toMatchObject({ before: 8n, after: 3n, callsBefore: 2, callsAfter: 1, values: 2 });
});

test('a part with new unpriced calls is listed, though its cost did not change', () => {
  const { parts, others } = changes([part('a', 0, 0), part('b', 4)], [part('a', 0, 3, 3), part('b', 4, 2, 1)], 1);
  expect(parts).toMatchObject([{ value: 'a', unpricedBefore: 0, unpricedAfter: 3 }]);
  expect(others).toMatchObject({ before: 4n, after: 4n, unpricedBefore: 0, unpricedAfter: 1, values: 1 });
});

test('a part with new unpriced usage without a number of calls is listed, and not as a call', () => {
  const { parts, others } = changes([part('b', 4, 1, 0, 2)], [part('a', 0, 0, 0, 1), part('b', 4, 1, 0, 2)], 1);
  expect(parts).toMatchObject([{ value: 'a', unpricedAfter: 0, unpricedUsesBefore: 0, unpricedUsesAfter: 1 }]);
  expect(others).toMatchObject({ unpricedBefore: 0, unpricedUsesBefore: 2, unpricedUsesAfter: 2, values: 1 });
});

const sums = fc.uniqueArray(
  fc.record({
    value: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g')),
    cost: fc.bigInt(0n, 10n ** 18n),
    calls: fc.nat(1_000_000),
    unpricedCalls: fc.nat(1_000),
    unpricedUses: fc.nat(9),
  }),
  { selector: ({ value }) => value },
);

test('the parts and all others add up to the difference, to the nano-dollar', () => {
  fc.assert(
    fc.property(sums, sums, fc.nat(5), (before, after, partsMax) => {
      const { parts, others, values } = changes(before, after, partsMax);
      const difference = [...parts, others].reduce((sum, one) => sum + one.after - one.before, 0n);
      expect(difference).toBe(whole(after).cost - whole(before).cost);
      const calls = [...parts, others].reduce((sum, one) => sum + one.callsAfter - one.callsBefore, 0);
      expect(calls).toBe(whole(after).calls - whole(before).calls);
      expect(parts.length + others.values).toBe(values);
      const { volume, rate } = splitChange(whole(before), whole(after));
      expect(volume + rate).toBe(difference);
    }),
  );
});

test.each([
  ['twice the calls at the same price', [100, 10], [200, 20], [100n, 0n]],
  ['the same calls at twice the price', [100, 10], [200, 10], [0n, 100n]],
  ['fewer and dearer calls', [100, 10], [90, 3], [-70n, 60n]],
  ['the first calls at all', [0, 0], [50, 5], [50n, 0n]],
])('a change is split into volume and rate: %s', (_, before, after, expected) => {
  const of = ([cost = 0, calls = 0]: number[]) => ({ cost: BigInt(cost), calls });
  const { volume, rate } = splitChange(of(before), of(after));
  expect([volume, rate]).toEqual(expected);
});

test('the cause is the part that explains most; the first dimension is named if others explain nearly as much', () => {
  const dimensions = [
    { dimension: 'tag', change: changes([part('x', 10), part('y', 10)], [part('x', 105), part('y', 15)]) },
    { dimension: 'model', change: changes([part('m', 15), part('n', 5)], [part('m', 115), part('n', 5)]) },
    { dimension: 'provider', change: changes([part('p', 20)], [part('p', 120)]) },
  ];
  expect(leadingCause(dimensions, 100n)).toMatchObject({ dimension: 'tag', part: { value: 'x' }, share: 0.95 });
  expect(leadingCause(dimensions.slice(2), 100n)).toBeNull();
  expect(leadingCause(dimensions, 0n)).toBeNull();
});

test('if everything grew a little there is no cause', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const change = changes(
    names.map((name) => part(name, 10)),
    names.map((name) => part(name, 12)),
  );
  expect(leadingCause([{ dimension: 'model', change }], 10n)).toBeNull();
});

test('if spend fell, the cause is what fell', () => {
  const change = changes([part('a', 90), part('b', 20)], [part('a', 10), part('b', 50)]);
  expect(leadingCause([{ dimension: 'key', change }], -50n)).toMatchObject({ part: { value: 'a' }, share: 1.6 });
});
