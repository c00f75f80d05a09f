import type { Amounts } from '../core/call.ts';
import { changeList } from '../lib/list-map.ts';
import type { Blocked } from './blocked.ts';
import type { Counter } from './counter.ts';
import { Hold } from './hold.ts';
import type { Subject } from './scopes.ts';

/** Calls that wait under one counter … */
export const WAITING_PER_COUNTER_MAX = 64;
/** … and under all together. */
export const WAITING_MAX = 4_096;
/** Longest wait of one call. */
export const WAIT_MS_MAX = 2_000;

/** A call that doesn't fit now and would fit alone. It holds nothing. */
export interface Waiter {
  readonly subject: Subject;
  readonly need: Amounts;
  /** On the clock that only goes forward. */
  readonly until: number;
  /** Exactly one of the two is told, unless the wait is cancelled. */
  admitted(hold: Hold): void;
  refused(blocked: Blocked): void;
}

interface Place {
  readonly waiter: Waiter;
  /** Where it didn't fit; null = it waits no more. */
  counter: Counter | null;
  blocked: Blocked;
}

type Try = (waiter: Waiter, now: number) => Hold | Blocked;

/** Who waits for room under a limit, first come first served. */
export class WaitingRoom {
  readonly #try: Try;
  readonly #queues = new Map<Counter, Place[]>();
  /** All of them, the longest waiting first. */
  readonly #places = new Map<Waiter, Place>();

  constructor(tryAgain: Try) {
    this.#try = tryAgain;
  }

  get size(): number {
    return this.#places.size;
  }

  /** False when there is no place left. */
  join(waiter: Waiter, blocked: Blocked): boolean {
    if (this.#places.size >= WAITING_MAX || blocked.counter.waiting >= WAITING_PER_COUNTER_MAX) return false;
    const place: Place = { waiter, counter: null, blocked };
    this.#places.set(waiter, place);
    this.#queue(place, blocked);
    return true;
  }

  /** Whoever waited is gone and is told nothing. Those behind are tried by the next sweep. */
  cancel(waiter: Waiter): void {
    const place = this.#places.get(waiter);
    if (place) this.#leave(place);
  }

  /** There may be room under a counter. Told in the order of the queue, until one still doesn't fit. */
  wake(counter: Counter, now: number): void {
    while (counter.waiting > 0) {
      const place = this.#queues.get(counter)?.[0];
      if (!place || !this.#retry(place, now)) return;
    }
  }

  /** Tries the first of each queue: a window may have ended, or one before it have left. Sends away who waited long enough. */
  sweep(now: number, uptime: number): void {
    for (const counter of Array.from(this.#queues.keys())) this.wake(counter, now);
    for (const place of this.#places.values()) {
      const { counter, waiter } = place;
      if (!counter || waiter.until > uptime) continue;
      this.#leave(place);
      waiter.refused(place.blocked);
      this.wake(counter, now);
    }
  }

  /** Says whether the place was left, for good or for another queue. */
  #retry(place: Place, now: number): boolean {
    const { waiter, counter } = place;
    const outcome = this.#try(waiter, now);
    if (outcome instanceof Hold) {
      this.#leave(place);
      waiter.admitted(outcome);
      return true;
    }
    place.blocked = outcome;
    if (outcome.reason === 'in_flight') {
      if (outcome.counter === counter) return false;
      this.#unqueue(place);
      if (outcome.counter.waiting < WAITING_PER_COUNTER_MAX) {
        this.#queue(place, outcome);
        return true;
      }
    }
    this.#leave(place);
    waiter.refused(outcome);
    return true;
  }

  #queue(place: Place, { counter }: Blocked): void {
    place.counter = counter;
    counter.waiting += 1;
    changeList(this.#queues, counter, (queue) => queue.push(place));
  }

  #unqueue(place: Place): void {
    const { counter } = place;
    if (!counter) return;
    place.counter = null;
    counter.waiting -= 1;
    changeList(this.#queues, counter, (queue) => queue.splice(queue.indexOf(place), 1));
    // It was remembered for those who wait.
    counter.owner.forget(counter);
  }

  #leave(place: Place): void {
    this.#unqueue(place);
    this.#places.delete(place.waiter);
  }
}
