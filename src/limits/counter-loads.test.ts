import { expect, test } from 'vitest';
import { NOON, sampleBudget } from './contract/sample-limits.ts';
import { type CounterOwner, LimitCounter } from './counter.ts';
import { CounterLoads, type LoadWaiter } from './counter-loads.ts';
import { KeyPlaces } from './key-places.ts';

const PERIOD = { start: 0, end: Infinity };
const owner = { limit: sampleBudget('lim_1', 100, { window: 'total' }) } as CounterOwner;

function counterOf(value: string): LimitCounter {
  return new LimitCounter(owner, value, PERIOD, null, false);
}

/** Questions to the ledger, with the calls that went on. */
class SampleLoads {
  readonly places: KeyPlaces;
  readonly loads: CounterLoads;
  readonly resumed: string[] = [];
  readonly #questions = new Map<string, number>();

  constructor(placesMax = 1_000_000) {
    this.places = new KeyPlaces(placesMax);
    this.loads = new CounterLoads(this.places);
  }

  /** Lets a call wait for counters. Returns null if there is no room. */
  wait(name: string, values: readonly string[], keyId = 'key_a'): LoadWaiter | null {
    const waiter = {
      keyId,
      until: NOON,
      loaded: () => void this.resumed.push(name),
      gaveUp: () => void this.resumed.push(`${name} gave up`),
    };
    const question = this.loads.wait(waiter, values.map(counterOf), () => true);
    for (const { value } of question?.places ?? []) this.#questions.set(value, question?.question ?? 0);
    return question && waiter;
  }

  answer(value: string): void {
    const place = { counter: 1, windowStart: 0, value };
    this.loads.answered(this.#questions.get(value) ?? 0, place);
  }
}

test('calls that lack no counter any more are resumed in order of arrival, whatever was answered first', () => {
  const sample = new SampleLoads();
  sample.wait('first', ['a', 'b']);
  sample.wait('second', ['b']);
  sample.wait('third', ['c']);
  for (const value of ['c', 'b', 'a']) sample.answer(value);
  expect(sample.resumed).toEqual([]);
  sample.loads.resume();
  expect(sample.resumed).toEqual(['first', 'second', 'third']);
});

test('a call is resumed when its last counter is answered, and only once', () => {
  const sample = new SampleLoads();
  sample.wait('two', ['a', 'b']);
  sample.wait('one', ['b']);
  sample.answer('b');
  sample.loads.resume();
  expect(sample.resumed).toEqual(['one']);
  sample.answer('a');
  for (let again = 0; again < 2; again += 1) sample.loads.resume();
  expect(sample.resumed).toEqual(['one', 'two']);
  expect([sample.loads.pending, sample.loads.waiting]).toEqual([0, 0]);
});

test('a call that resumes another of the same turn does not run it twice, and one that left does not run', () => {
  const sample = new SampleLoads();
  const left = sample.wait('left', ['a']);
  sample.wait('stays', ['a']);
  sample.answer('a');
  if (left) sample.loads.cancel(left);
  sample.loads.resume();
  expect(sample.resumed).toEqual(['stays']);
});

test('a key asks for at most as many counters as it leaves free, and others still ask', () => {
  const sample = new SampleLoads();
  let asked = 0;
  while (sample.wait(`a ${asked}`, [`a ${asked}`])) asked += 1;
  expect(asked).toBe(5_000);
  expect(sample.wait('b', ['b'], 'key_b')).not.toBeNull();
  // Waiting for what is asked already takes no place.
  expect(sample.wait('more', ['a 0'])).not.toBeNull();
  sample.answer('a 0');
  expect(sample.wait('again', ['again'])).not.toBeNull();
});

test('a counter that is asked for has a place in memory, which is free again when it is answered', () => {
  const sample = new SampleLoads(4);
  expect([sample.wait('a', ['a']), sample.wait('b', ['b'])]).not.toContain(null);
  expect(sample.places.taken).toBe(2);
  expect(sample.wait('c', ['c'])).toBeNull();
  expect(sample.wait('other', ['other'], 'key_b')).not.toBeNull();
  sample.answer('a');
  expect(sample.places.taken).toBe(2);
});
