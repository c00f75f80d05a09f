import { expect, test } from 'vitest';
import { sampleLimit } from '../limits/contract/sample-limits.ts';
import { LimitCounter } from '../limits/counter.ts';
import { HeldAmounts } from './held-amounts.ts';

function counterWith(held: number, value = ''): LimitCounter {
  const owner = {
    limit: sampleLimit('limit_1'),
    isPartial: false,
    leases: null,
    has: () => true,
    keep: () => {},
    forget: () => {},
    drop: () => {},
    mayAlert: () => true,
    hasAlertedEnough: false,
  };
  const counter = new LimitCounter(owner, value, { start: 0, end: 1 });
  if (held > 0) counter.hold(held);
  return counter;
}

/** Says what counters hold. Returns what others are told, by value; null = nothing. */
function say(held: HeldAmounts, ...counters: readonly LimitCounter[]) {
  const statement = held.next(new Set(counters));
  if (!statement) return null;
  held.confirmed(statement);
  return Object.fromEntries(statement.amounts.map(({ value, held: amount }) => [value, amount]));
}

test('the first statement is complete, and later ones have what has changed', () => {
  const held = new HeldAmounts();
  const [a, b] = [counterWith(5, 'a'), counterWith(3, 'b')];
  expect(held.next(new Set([a, b]))?.isComplete).toBe(true);
  held.failed();
  expect(say(held, a, b)).toEqual({ a: 5, b: 3 });
  expect(say(held, a, b)).toBeNull();
  a.hold(1);
  expect(say(held, a, b)).toEqual({ a: 6 });
  b.release(3);
  expect(say(held, a)).toEqual({ b: 0 });
  expect(say(held, a)).toBeNull();
});

test('a statement waits until the last one is confirmed', () => {
  const held = new HeldAmounts();
  const a = counterWith(5, 'a');
  const first = held.next(new Set([a]));
  a.hold(1);
  expect(held.next(new Set([a]))).toBeNull();
  if (first) held.confirmed(first);
  expect(say(held, a)).toEqual({ a: 6 });
});

test('after a failure, and now and then, all is said again', () => {
  const held = new HeldAmounts();
  const a = counterWith(5, 'a');
  say(held, a);
  a.hold(1);
  held.next(new Set([a]));
  held.failed();
  expect(held.next(new Set([a]))).toMatchObject({ isComplete: true, amounts: [{ held: 6 }] });
  held.failed();
  expect(say(held, a)).toEqual({ a: 6 });
  const again = Array.from({ length: 61 }, () => say(held, a)).filter((said) => said !== null);
  expect(again).toEqual([{ a: 6 }]);
});

test('a counter that left memory and came back is said once', () => {
  const held = new HeldAmounts();
  const before = counterWith(5, 'a');
  say(held, before);
  before.release(5);
  expect(say(held, counterWith(7, 'a'))).toEqual({ a: 7 });
});

test('of many changes, each is said in its turn', () => {
  const held = new HeldAmounts();
  const counters = Array.from({ length: 2_500 }, (_, at) => counterWith(1, String(at)));
  say(held);
  const said = [1, 2, 3, 4].map(() => Object.keys(say(held, ...counters) ?? {}).length);
  expect(said).toEqual([1_000, 1_000, 500, 0]);
  for (const counter of counters) counter.hold(1);
  const first = Object.keys(say(held, ...counters) ?? {});
  for (const counter of counters) counter.hold(1);
  const second = Object.keys(say(held, ...counters) ?? {});
  expect(new Set([...first, ...second]).size).toBe(2_000);
});
