import { expect, test } from 'vitest';
import { NO_VALUE, OTHER_VALUE, VALUES_PER_LIMIT_MAX } from '../domain/limits/limit.ts';
import { sampleLimit, NOON } from './contract/sample-limits.ts';
import { type CounterBudget, CounterSeries } from './counter-series.ts';

const EACH_TEAM = sampleLimit('lim_1', { scope: { kind: 'each_tag', key: 'team' } });

function seriesWith(budget: CounterBudget = { counters: 0, max: 1_000_000 }): CounterSeries {
  return new CounterSeries(EACH_TEAM, NOON, budget);
}

function countIn(series: CounterSeries, team: string): string {
  const counter = series.counterAt(NOON, { team });
  counter.hold(1);
  return counter.value;
}

test('each value has a counter, and calls without the tag share one', () => {
  const series = seriesWith();
  expect(countIn(series, 'red')).toBe('red');
  expect(series.counterAt(NOON, { team: 'red' })).toBe(series.counterAt(NOON, { team: 'red', other: 'x' }));
  expect(series.counterAt(NOON, { group: 'red' }).value).toBe(NO_VALUE);
  expect(
    new CounterSeries(sampleLimit('lim_1'), NOON, { counters: 0, max: 9 }).counterAt(NOON, { team: 'red' }).value,
  ).toBe('');
});

test('a tag named like a property of every object has no value', () => {
  const scope = { kind: 'each_tag', key: 'constructor' } as const;
  expect(
    new CounterSeries(sampleLimit('lim_1', { scope }), NOON, { counters: 0, max: 9 }).counterAt(NOON, {}).value,
  ).toBe(NO_VALUE);
});

test('values beyond 20,000 share a counter; others keep theirs, and freed places are reused', () => {
  const series = seriesWith();
  for (let team = 0; team < VALUES_PER_LIMIT_MAX; team += 1) countIn(series, `${team}`);
  expect([countIn(series, 'new'), countIn(series, 'newer'), countIn(series, '7')]).toEqual([
    OTHER_VALUE,
    OTHER_VALUE,
    '7',
  ]);
  expect(series.counterAt(NOON, { team: 'new' })).toMatchObject({ value: OTHER_VALUE, calls: 2 });
  expect(series.counterAt(NOON, {}).value).toBe(NO_VALUE);
  for (const team of ['8', '9']) {
    const counter = series.counterAt(NOON, { team });
    counter.release(1);
    series.forget(counter);
  }
  expect(countIn(series, 'newest')).toBe('newest');
});

test('a key leaves as many places as it takes, so that other keys can add values', () => {
  const series = seriesWith();
  const countFor = (keyId: string, team: string) => {
    const counter = series.counterAt(NOON, { team }, keyId);
    counter.hold(1);
    return counter.value;
  };
  const half = VALUES_PER_LIMIT_MAX / 2;
  for (let team = 0; team < half; team += 1) expect(countFor('key_1', `${team}`)).toBe(`${team}`);
  expect([countFor('key_1', 'new'), countFor('key_1', '7'), countFor('key_2', '7')]).toEqual([OTHER_VALUE, '7', '7']);
  const newcomer = series.counterAt(NOON, { team: 'bob' }, 'key_2');
  expect([newcomer.value, series.has(newcomer, NOON)]).toEqual(['bob', true]);
  for (let team = 0; team < VALUES_PER_LIMIT_MAX; team += 1) countFor('key_2', `second ${team}`);
  expect([countFor('key_2', 'last'), countFor('key_3', 'carol')]).toEqual([OTHER_VALUE, 'carol']);
  const counter = series.counterAt(NOON, { team: '7' }, 'key_2');
  for (let calls = counter.calls; calls > 0; calls -= 1) counter.release(1);
  series.forget(counter);
  for (let team = 0; team < 3; team += 1) countFor('key_1', `further ${team}`);
  expect(series.standings(NOON).length).toBeLessThanOrEqual(VALUES_PER_LIMIT_MAX + 2);
});

test('all limits together have a maximum', () => {
  const budget = { counters: 0, max: 3 };
  const first = seriesWith(budget);
  const second = seriesWith(budget);
  expect([countIn(first, 'red'), countIn(first, 'blue'), countIn(second, 'red')]).toEqual(['red', 'blue', 'red']);
  expect([countIn(second, 'blue'), countIn(first, 'green')]).toEqual([OTHER_VALUE, OTHER_VALUE]);
  first.close();
  expect([budget.counters, countIn(second, 'green')]).toEqual([2, 'green']);
});

test('a series whose limit is removed keeps nothing', () => {
  const budget = { counters: 0, max: 9 };
  const series = seriesWith(budget);
  const counter = series.counterAt(NOON, { team: 'red' });
  series.close();
  counter.hold(1);
  expect([budget.counters, series.has(counter, NOON)]).toEqual([0, false]);
});
