import { expect, test } from 'vitest';
import { NO_VALUE, OTHER_VALUE } from '../domain/limits/limit.ts';
import { modelMatcher, toCounterStates, type ValueSums } from './backfill.ts';

test('beyond the maximum of values, the smallest share one counter, and calls without a value take no place', () => {
  const values: ValueSums = new Map(
    ['a', 'b', 'c', 'd', NO_VALUE, OTHER_VALUE].map((value, index) => [
      value,
      { counted: BigInt(index + 1), uncertain: 1n },
    ]),
  );
  const states = toCounterStates(7, 0, values, 2);
  expect(states).toContainEqual({ counter: 7, windowStart: 0, value: OTHER_VALUE, counted: 1 + 2 + 6, uncertain: 3 });
  expect(states.map(({ value }) => value).toSorted()).toEqual([NO_VALUE, OTHER_VALUE, 'c', 'd']);
});

test('a sum above 2^53 is exact', () => {
  const counted = 2n ** 60n + 1n;
  expect(toCounterStates(7, 0, new Map([['', { counted, uncertain: 0n }]]))[0]?.counted).toBe(counted);
});

test('a model matches by its name, without its maker, or by the name it is priced under', () => {
  const pricedAs = (_: string, model: string) => (model === 'alias' ? 'claude-haiku-4-5' : null);
  const matches = modelMatcher('claude-*', pricedAs);
  const names = ['Claude-x', 'anthropic/claude-x', 'alias', 'gpt-5', 'x-claude-y'];
  expect(names.map((name) => matches('anthropic', name))).toEqual([true, true, true, false, false]);
});
