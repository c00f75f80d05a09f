import { expect, test } from 'vitest';
import { NO_VALUE, OTHER_VALUE, VALUES_PER_LIMIT_MAX } from '../core/limit.ts';
import { limitOf, NOON } from './contract/sample-limits.ts';
import { type CounterBudget, Series } from './series.ts';

const EACH_TEAM = limitOf('lim_1', { scope: { kind: 'each_tag', key: 'team' } });

function seriesWith(budget: CounterBudget = { counters: 0, max: 1_000_000 }): Series {
  return new Series(EACH_TEAM, NOON, budget);
}

function countIn(series: Series, team: string): string {
  const counter = series.at(NOON, { team });
  counter.hold(1);
  return counter.value;
}

test('each value has a counter, and calls without the tag share one', () => {
  const series = seriesWith();
  expect(countIn(series, 'red')).toBe('red');
  expect(series.at(NOON, { team: 'red' })).toBe(series.at(NOON, { team: 'red', other: 'x' }));
  expect(series.at(NOON, { group: 'red' }).value).toBe(NO_VALUE);
  expect(new Series(limitOf('lim_1'), NOON, { counters: 0, max: 9 }).at(NOON, { team: 'red' }).value).toBe('');
});

test('a tag named like something every object has is no value', () => {
  const scope = { kind: 'each_tag', key: 'constructor' } as const;
  expect(new Series(limitOf('lim_1', { scope }), NOON, { counters: 0, max: 9 }).at(NOON, {}).value).toBe(NO_VALUE);
});

test('values beyond 10,000 share a counter; those that have one keep it, and room that is free again is given again', () => {
  const series = seriesWith();
  for (let team = 0; team < VALUES_PER_LIMIT_MAX; team += 1) countIn(series, `${team}`);
  expect([countIn(series, 'new'), countIn(series, 'newer'), countIn(series, '7')]).toEqual([
    OTHER_VALUE,
    OTHER_VALUE,
    '7',
  ]);
  expect(series.at(NOON, { team: 'new' })).toMatchObject({ value: OTHER_VALUE, calls: 2 });
  expect(series.at(NOON, {}).value).toBe(NO_VALUE);
  for (const team of ['8', '9']) {
    const counter = series.at(NOON, { team });
    counter.release(1);
    series.forget(counter);
  }
  expect(countIn(series, 'newest')).toBe('newest');
});

test('all limits together stay under a cap', () => {
  const budget = { counters: 0, max: 3 };
  const first = seriesWith(budget);
  const second = seriesWith(budget);
  expect([countIn(first, 'red'), countIn(first, 'blue'), countIn(second, 'red')]).toEqual(['red', 'blue', 'red']);
  expect([countIn(second, 'blue'), countIn(first, 'green')]).toEqual([OTHER_VALUE, OTHER_VALUE]);
  first.close();
  expect([budget.counters, countIn(second, 'green')]).toEqual([2, 'green']);
});

test('a series whose limit is gone keeps nothing', () => {
  const budget = { counters: 0, max: 9 };
  const series = seriesWith(budget);
  const counter = series.at(NOON, { team: 'red' });
  series.close();
  counter.hold(1);
  expect([budget.counters, series.has(counter, NOON)]).toEqual([0, false]);
});
