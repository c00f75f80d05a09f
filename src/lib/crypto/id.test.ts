import { expect, test } from 'vitest';
import { createIdSource, newId } from './id.ts';

test('IDs of one source ascend and never repeat, also if the clock stands still or goes back', () => {
  let now = 1_800_000_000_000;
  const next = createIdSource('call', () => now);
  const ids: string[] = [];
  for (let i = 0; i < 5_000; i += 1) {
    if (i % 1_000 === 999) now += i % 2_000 === 999 ? -50 : 60;
    ids.push(next());
  }
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

test('a full counter moves on to the next millisecond', () => {
  const next = createIdSource('c', () => 7);
  const ids = Array.from({ length: 32 ** 4 + 10 }, next);
  expect(ids.findIndex((id, index) => index > 0 && id <= (ids[index - 1] ?? ''))).toBe(-1);
});

test('two sources with the same clock never make the same id', () => {
  const one = createIdSource('call', () => 5);
  const two = createIdSource('call', () => 5);
  expect(one()).not.toBe(two());
});

test('record IDs sort by time and have a fixed length', () => {
  const early = newId('key', () => 1_000);
  const late = newId('key', () => 1_001);
  expect(early < late).toBe(true);
  expect(early).toMatch(/^key_[0-9a-z]{22}$/);
});

test('records of one millisecond sort in the order of creation, whatever their kind', () => {
  const clock = (): number => 1_800_000_000_000;
  const ids = Array.from({ length: 32 ** 3 + 10 }, (_, index) => newId(index % 2 === 0 ? 'key' : 'lim', clock));
  const places = ids.map((id) => id.slice(id.indexOf('_') + 1));
  expect(new Set(places).size).toBe(ids.length);
  expect(places.toSorted()).toEqual(places);
});

test('records sort in the order of creation if the clock goes back', () => {
  let now = 1_800_000_000_000;
  const clock = (): number => now;
  const first = newId('key', clock);
  now -= 5_000;
  expect(first < newId('key', clock)).toBe(true);
});

test('two processes with the same clock never create the same record ID, and no ID can be derived from another', () => {
  const ends = Array.from({ length: 1_000 }, () => newId('inv', () => 5).slice(-9));
  expect(new Set(ends).size).toBe(ends.length);
});
