import type { CounterPlace } from '../domain/limits/limit.ts';
import type { LimitCounter } from './counter.ts';
import { countNamePlaces, KeyPlaces } from './key-places.ts';

/** Longest wait of a call for the ledger to say what its on-demand counters have counted. */
export const LOAD_WAIT_MS_MAX = 2_000;
/** Places for on-demand counters that the ledger is asked for at a time. */
const LOADING_MAX = 10_000;

/** A call that waits until its on-demand counters are in memory. It holds nothing. */
export interface LoadWaiter {
  readonly keyId: string;
  /** On the clock that only goes forward. */
  readonly until: number;
  /** Exactly one of the two runs, unless the wait is canceled. */
  loaded(): void;
  gaveUp(): void;
}

/** A waiting call with the counters that it lacks. */
interface WaitingLoad {
  readonly waiter: LoadWaiter;
  /** Calls are resumed in order of arrival. */
  readonly arrival: number;
  readonly lacking: Set<PendingLoad>;
}

/** A counter that the ledger is asked for. It stays until the answer arrives, however long that takes. */
interface PendingLoad {
  readonly counter: LimitCounter;
  readonly keyId: string;
  /** null = its limit waits for its backfill, and is asked after that. */
  readonly question: number | null;
  readonly waiters: Set<WaitingLoad>;
}

/** On-demand counters that the ledger is asked for: each once, however many calls wait for it. */
export class CounterLoads {
  readonly #places: KeyPlaces;
  readonly #pending = new Map<string, PendingLoad>();
  readonly #pendingPlaces = new KeyPlaces(LOADING_MAX);
  /** Longest wait first. */
  readonly #waiting = new Map<LoadWaiter, WaitingLoad>();
  /** Waiting calls that lack no counter any more. */
  #ready: WaitingLoad[] = [];
  #asked = 0;

  /** @param places for on-demand counters in memory */
  constructor(places: KeyPlaces) {
    this.#places = places;
  }

  /** Counters that the ledger is asked for. */
  get pending(): number {
    return this.#pending.size;
  }

  /** Calls that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /**
   * Lets a call wait for counters. Returns the question to send, without places if all are asked for already;
   * null = there is no room for so many.
   * @param isReady false = the limit of this counter waits for its backfill
   */
  wait(
    waiter: LoadWaiter,
    counters: readonly LimitCounter[],
    isReady: (counter: LimitCounter) => boolean,
  ): CounterQuestion | null {
    const fresh = counters.filter((counter) => !this.#pending.has(placeKey(toPlace(counter))));
    if (fresh.length > 0 && !this.#pendingPlaces.hasFree(waiter.keyId)) return null;
    if (fresh.length > 0 && !this.#places.hasFree(waiter.keyId)) return null;
    this.#asked += 1;
    const waiting = { waiter, arrival: this.#asked, lacking: new Set<PendingLoad>() };
    const places: CounterPlace[] = [];
    for (const counter of counters) {
      const place = toPlace(counter);
      const key = placeKey(place);
      let pending = this.#pending.get(key);
      if (!pending) {
        const question = isReady(counter) ? this.#asked : null;
        this.#pending.set(key, (pending = { counter, keyId: waiter.keyId, question, waiters: new Set() }));
        this.#places.take(waiter.keyId, countNamePlaces(counter.value));
        this.#pendingPlaces.take(waiter.keyId, countNamePlaces(counter.value));
        if (question !== null) places.push(place);
      }
      pending.waiters.add(waiting);
      waiting.lacking.add(pending);
    }
    this.#waiting.set(waiter, waiting);
    return { question: this.#asked, places };
  }

  cancel(waiter: LoadWaiter): void {
    const waiting = this.#waiting.get(waiter);
    if (!waiting) return;
    for (const pending of waiting.lacking) pending.waiters.delete(waiting);
    this.#waiting.delete(waiter);
  }

  /** Takes a counter that was answered out of the pending ones; null = no such question is open. */
  answered(question: number, place: CounterPlace): PendingLoad | null {
    const key = placeKey(place);
    const pending = this.#pending.get(key);
    if (!pending || pending.question !== question) return null;
    this.#remove(key, pending);
    return pending;
  }

  /** Lets the calls try again that wait for counters of a limit that was backfilled, changed or removed. */
  release(counter: number): void {
    for (const [key, pending] of this.#pending)
      if (pending.counter.limit.counter === counter) this.#remove(key, pending);
  }

  /** Resumes the calls that lack no counter, in order of arrival. */
  resume(): void {
    const ready = this.#ready.toSorted((a, b) => a.arrival - b.arrival);
    this.#ready = [];
    for (const { waiter } of ready) if (this.#waiting.delete(waiter)) waiter.loaded();
  }

  /** Refuses calls that waited too long. */
  sweep(uptime: number): void {
    for (const waiter of this.#waiting.keys()) {
      if (waiter.until > uptime) return;
      this.cancel(waiter);
      waiter.gaveUp();
    }
  }

  #remove(key: string, pending: PendingLoad): void {
    this.#pending.delete(key);
    const places = countNamePlaces(pending.counter.value);
    this.#places.release(pending.keyId, places);
    this.#pendingPlaces.release(pending.keyId, places);
    for (const waiting of pending.waiters) {
      waiting.lacking.delete(pending);
      if (waiting.lacking.size === 0) this.#ready.push(waiting);
    }
  }
}

/** Counters that the ledger must be asked for, in one message. */
export interface CounterQuestion {
  readonly question: number;
  readonly places: readonly CounterPlace[];
}

function toPlace({ limit, period, value }: LimitCounter): CounterPlace {
  return { counter: limit.counter, windowStart: period.start, value };
}

function placeKey({ counter, windowStart, value }: CounterPlace): string {
  return `${counter} ${windowStart} ${value}`;
}
