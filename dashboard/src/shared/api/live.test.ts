import { expect, test } from 'vitest';
import { isStale, type LiveEvent, LiveBatcher, REFRESH_MS, type LiveTimer } from './live.ts';

/** A clock that the test advances. */
class TestTimer implements LiveTimer {
  #now = 0;
  #due: { at: number; run: () => void } | null = null;

  now(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    this.#due = { at: this.#now + ms, run };
    return () => (this.#due = null);
  }

  pass(ms: number): void {
    this.#now += ms;
    const due = this.#due;
    if (!due || due.at > this.#now) return;
    this.#due = null;
    due.run();
  }
}

function gather(): { timer: TestTimer; batches: LiveEvent[][]; gathering: LiveBatcher } {
  const timer = new TestTimer();
  const batches: LiveEvent[][] = [];
  return { timer, batches, gathering: new LiveBatcher(timer, (events) => batches.push([...events])) };
}

test('the first event is passed on immediately', () => {
  const { batches, gathering } = gather();
  gathering.add('recorded');
  expect(batches).toEqual([['recorded']]);
});

test('simultaneous events are passed on together', () => {
  const { batches, gathering } = gather();
  gathering.add('recorded', 'alert', 'limit');
  expect(batches).toEqual([['recorded', 'alert', 'limit']]);
});

test('loaded data is stale only if an event happened since it was requested', () => {
  expect([isStale(null, 300), isStale(301, 300), isStale(300, 300), isStale(0, 300)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('further events are passed on once per second, each kind once', () => {
  const { timer, batches, gathering } = gather();
  gathering.add('recorded');
  for (const event of ['recorded', 'limit', 'recorded'] as const) {
    timer.pass(REFRESH_MS / 4);
    gathering.add(event);
  }
  expect(batches).toEqual([['recorded']]);
  timer.pass(REFRESH_MS / 4);
  expect(batches).toEqual([['recorded'], ['recorded', 'limit']]);
});

test('after a pause the next event is passed on immediately, and none after closing', () => {
  const { timer, batches, gathering } = gather();
  gathering.add('recorded');
  timer.pass(REFRESH_MS);
  gathering.add('alert');
  gathering.add('limit');
  gathering.close();
  timer.pass(REFRESH_MS);
  expect(batches).toEqual([['recorded'], ['alert']]);
});
