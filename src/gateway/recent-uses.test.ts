import { expect, test } from 'vitest';
import { sampleBudget, sampleLimit, NOON } from '../limits/contract/sample-limits.ts';
import type { LimitCounter } from '../limits/counter.ts';
import { CounterSeries } from '../limits/counter-series.ts';
import { RecentUses } from './recent-uses.ts';

const ROUNDS = 8;

function counterOf(limit = sampleBudget('lim_1', 100)): LimitCounter {
  return new CounterSeries(limit, NOON, { counters: 0, max: 10 }).counterNamed('');
}

/** Asks for some rounds. Returns how many counters were asked for in the last. */
function askRounds(recent: RecentUses): number {
  let asked = 0;
  for (let round = 0; round < ROUNDS; round += 1) asked = recent.next(() => [].values()).length;
  return asked;
}

test('calls that the ledger lacks stay in the total of their counter, however long that takes', () => {
  const recent = new RecentUses(() => 7);
  const counter = counterOf();
  recent.ended(counter, 30, 10);
  recent.shippedTo(6);
  expect(askRounds(recent)).toBe(1);
  expect(recent.unshipped(counter)).toEqual({ counted: 30, uncertain: 10 });
});

test('a counter whose window has ended is forgotten once the ledger has its calls', () => {
  const recent = new RecentUses(() => 7);
  recent.ended(counterOf(), 30, 0);
  recent.shippedTo(7);
  expect(askRounds(recent)).toBe(0);
});

test('the ledger is not asked for concurrent calls', () => {
  const recent = new RecentUses(() => 7);
  recent.ended(counterOf(sampleLimit('lim_1', { unit: 'concurrency' })), 0, 0);
  expect(askRounds(recent)).toBe(0);
});
