import { expect, test } from 'vitest';
import { type CounterRef, LIMIT_UNITS } from './limit.ts';
import { readCounterRefRow, toCounterRefRow } from './counter-ref.ts';

const touches: CounterRef[] = LIMIT_UNITS.map((unit, at) => ({
  counter: at + 1,
  unit,
  windowStart: at * 60_000,
  value: `v${at}`,
}));

test('counter references are read back as they were written, with each form of unit', () => {
  const numbered = toCounterRefRow(touches, (unit) => LIMIT_UNITS.indexOf(unit));
  expect(numbered.slice(0, 8)).toEqual([1, 0, 0, 'v0', 2, 1, 60_000, 'v1']);
  expect(readCounterRefRow(numbered, (index) => LIMIT_UNITS[Number(index)])).toEqual(touches);
  const named = toCounterRefRow(touches, (unit) => unit);
  expect(readCounterRefRow(named, (word) => LIMIT_UNITS.find((unit) => unit === word))).toEqual(touches);
});

test('an unknown unit is refused', () => {
  expect(() => readCounterRefRow([1, 'euros', 0, ''], () => undefined)).toThrow(/unknown unit "euros"/);
});
