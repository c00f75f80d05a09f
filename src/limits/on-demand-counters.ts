import type { CounterState } from '../domain/limits/limit.ts';
import type { LimitCounter } from './counter.ts';
import { CounterLoads, type CounterQuestion, type LoadWaiter } from './counter-loads.ts';
import type { CounterSeries } from './counter-series.ts';
import { KeyPlaces } from './key-places.ts';

/** Counters that are checked for idleness at a time, at least. */
const IDLE_CHECKS_MIN = 100;
/** In so many checks, all of them are. */
const IDLE_CHECK_ROUNDS = 64;
/** The same where places are scarce. */
const CROWDED_CHECK_ROUNDS = 8;

/** The counters of sessions, agents and runs that are in memory, or that the ledger is asked for. */
export class OnDemandCounters {
  readonly places: KeyPlaces;
  readonly #loads: CounterLoads;
  readonly #series = new Set<CounterSeries>();
  /** Counters that are still to be checked for idleness in this round. */
  #idleChecks: Iterator<LimitCounter> | null = null;

  /** @param max places in memory */
  constructor(max: number) {
    this.places = new KeyPlaces(max);
    this.#loads = new CounterLoads(this.places);
  }

  /** Number of counters in memory, with the ones that the ledger is asked for. */
  get size(): number {
    let counters = this.#loads.pending;
    for (const { size } of this.#series) counters += size;
    return counters;
  }

  /** Number of counters that the ledger is asked for. */
  get pending(): number {
    return this.#loads.pending;
  }

  /** Number of calls that wait for the ledger. */
  get waiting(): number {
    return this.#loads.waiting;
  }

  /** Reports whether those without open calls should leave memory. One key may take half of the places. */
  get isCrowded(): boolean {
    return this.places.taken > this.places.max / 4;
  }

  add(series: CounterSeries): void {
    this.#series.add(series);
  }

  /** Removes a limit's counters. Calls that wait for them try again at `resume`. */
  remove(series: CounterSeries): void {
    this.#series.delete(series);
    // Calls also wait for the backfill of other limits.
    this.#loads.release(series.limit.counter);
  }

  /**
   * Lets a call wait for counters. Returns the question to send; null = there is no room for them.
   * @param isReady false = the limit of this counter waits for its backfill
   */
  wait(
    waiter: LoadWaiter,
    unread: readonly LimitCounter[],
    isReady: (counter: LimitCounter) => boolean,
  ): CounterQuestion | null {
    return this.#loads.wait(waiter, unread, isReady);
  }

  cancel(waiter: LoadWaiter): void {
    this.#loads.cancel(waiter);
  }

  /** Adds what the ledger answered about a counter. Does nothing if it was not asked, or its window has ended. */
  receive(question: number, state: CounterState, series: CounterSeries | undefined, now: number): void {
    const pending = this.#loads.answered(question, state);
    if (!pending || !series) return;
    series.roll(now);
    if (series.period.start === state.windowStart) series.install(state, pending.keyId, now);
  }

  /** Lets the calls try again that wait for counters of a limit that was backfilled. */
  release(counter: number): void {
    this.#loads.release(counter);
  }

  /** Resumes the calls that lack no counter, in order of arrival. */
  resume(): void {
    this.#loads.resume();
  }

  /** Refuses calls that waited too long. */
  sweep(uptime: number): void {
    if (this.#loads.waiting > 0) this.#loads.sweep(uptime);
  }

  /**
   * Drops counters without open calls that were not used since an instant. Checks a part of them, so that no call waits
   * long.
   * @param shippedTime the ledger has every call that ended before it; it need not for counters at zero
   */
  dropIdle(idleSince: number, shippedTime: number): void {
    const rounds = this.isCrowded ? CROWDED_CHECK_ROUNDS : IDLE_CHECK_ROUNDS;
    let checks = Math.max(IDLE_CHECKS_MIN, Math.ceil(this.size / rounds));
    this.#idleChecks ??= this.#each();
    for (; checks > 0; checks -= 1) {
      const next = this.#idleChecks.next();
      if (next.done) return void (this.#idleChecks = null);
      const counter: LimitCounter = next.value;
      const { isLoaded, idle, calls, waiting, usedAt, owner } = counter;
      const before = idle ? idleSince : Math.min(idleSince, shippedTime);
      if (isLoaded && calls === 0 && waiting === 0 && usedAt < before) owner.drop(counter);
    }
  }

  *#each(): Generator<LimitCounter, undefined> {
    for (const series of this.#series) yield* series.counters();
  }
}
