import { expect, test } from 'vitest';
import { isStale, type LiveEvent, LiveBatcher, REFRESH_MS, type LiveTimer } from './live.ts';

/** A clock that goes on when it is told. */
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

function gather(): { timer: TestTimer; told: LiveEvent[][]; gathering: LiveBatcher } {
  const timer = new TestTimer();
  const told: LiveEvent[][] = [];
  return { timer, told, gathering: new LiveBatcher(timer, (events) => told.push([...events])) };
}

test('the first event is passed on at once', () => {
  const { told, gathering } = gather();
  gathering.hear('booked');
  expect(told).toEqual([['booked']]);
});

test('events that are heard at once are passed on at once', () => {
  const { told, gathering } = gather();
  gathering.hear('booked', 'alert', 'limit');
  expect(told).toEqual([['booked', 'alert', 'limit']]);
});

test('what a page has asked for is old if something has happened since, and not else', () => {
  expect([isStale(null, 300), isStale(301, 300), isStale(300, 300), isStale(0, 300)]).toEqual([
    false,
    false,
    true,
    true,
  ]);
});

test('however many follow, they are passed on once per second, each kind once', () => {
  const { timer, told, gathering } = gather();
  gathering.hear('booked');
  for (const event of ['booked', 'limit', 'booked'] as const) {
    timer.pass(REFRESH_MS / 4);
    gathering.hear(event);
  }
  expect(told).toEqual([['booked']]);
  timer.pass(REFRESH_MS / 4);
  expect(told).toEqual([['booked'], ['booked', 'limit']]);
});

test('after silence the next is passed on at once again, and none when it is closed', () => {
  const { timer, told, gathering } = gather();
  gathering.hear('booked');
  timer.pass(REFRESH_MS);
  gathering.hear('alert');
  gathering.hear('limit');
  gathering.close();
  timer.pass(REFRESH_MS);
  expect(told).toEqual([['booked'], ['alert']]);
});
