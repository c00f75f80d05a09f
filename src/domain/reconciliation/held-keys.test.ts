import { expect, test } from 'vitest';
import { type HeldProviderKey, heldOn, holders, keptEnds } from './held-keys.ts';
import { DAY_MS } from '../time/units.ts';

const held = (id: string, from: number, until: number | null): HeldProviderKey => ({
  id,
  key: null,
  fingerprint: null,
  ends: null,
  lastFour: null,
  wrappedKeyIds: ['w'],
  heldSince: from * DAY_MS,
  heldUntil: until === null ? null : until * DAY_MS,
});
const times = [held('first', 1.5, 3.5), held('second', 3.5, 5), held('third', 5, null)];

test('a key is held on every day on which it was held at any time', () => {
  const on = (day: number): string[] => heldOn(times, day * DAY_MS).map(({ id }) => id);
  expect([0, 1, 2, 3, 4, 5, 9].map(on)).toEqual([
    [],
    ['first'],
    ['first'],
    ['first', 'second'],
    ['second'],
    ['third'],
    ['third'],
  ]);
});

test('a wrapped key counts for its last provider key of a day, and for none before the first', () => {
  const holderOf = holders(times);
  expect([0, 1, 3, 4, 9].map((day) => holderOf('w', day * DAY_MS)?.id ?? null)).toEqual([
    null,
    'first',
    'second',
    'second',
    'third',
  ]);
  expect(holderOf('other', 0)).toBeNull();
});

test('of a removed key, as much is kept as its provider shows, and nothing of a short key', () => {
  const key = `sk-ant-api03-${'abcdefghij'.repeat(9)}igAA`;
  expect(keptEnds(key)).toEqual({ head: 'sk-ant-api03-abcdefg', tail: 'igAA' });
  expect(keptEnds(key.slice(0, 39))).toBeNull();
});
