import { expect, test } from 'vitest';
import { type CounterRef, UNITS } from './limit.ts';
import { readTouchRow, toTouchRow } from './counter-ref.ts';

const touches: CounterRef[] = UNITS.map((unit, at) => ({
  counter: at + 1,
  unit,
  windowStart: at * 60_000,
  value: `v${at}`,
}));

test('touches come back as they were written, whichever way units are', () => {
  const numbered = toTouchRow(touches, (unit) => UNITS.indexOf(unit));
  expect(numbered.slice(0, 8)).toEqual([1, 0, 0, 'v0', 2, 1, 60_000, 'v1']);
  expect(readTouchRow(numbered, (index) => UNITS[Number(index)])).toEqual(touches);
  const named = toTouchRow(touches, (unit) => unit);
  expect(readTouchRow(named, (word) => UNITS.find((unit) => unit === word))).toEqual(touches);
});

test('a unit that is not known is refused', () => {
  expect(() => readTouchRow([1, 'euros', 0, ''], () => undefined)).toThrow(/unknown unit "euros"/);
});
