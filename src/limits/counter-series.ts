import { eachValues } from '../domain/limits/each-value.ts';
import {
  amountAt,
  type CounterState,
  countsEachValue,
  isOnDemand,
  type Limit,
  NO_VALUE,
  OTHER_VALUE,
  type CounterStatus,
  VALUES_PER_LIMIT_MAX,
  needsPlace,
} from '../domain/limits/limit.ts';
import type { Period } from '../domain/time/period.ts';
import { DAY_MS } from '../domain/time/units.ts';
import { windowAt } from '../domain/time/window.ts';
import { type CallContext, NO_CONTEXT } from '../domain/usage/call-context.ts';
import { LimitCounter, type CounterOwner } from './counter.ts';
import type { CounterLeases } from './counter-lease.ts';
import { countNamePlaces, KeyPlaces } from './key-places.ts';

/**
 * Values of one limit that alerts are raised for in one window, for sessions, agents and runs also in one day. The last
 * alert says that there may be more.
 */
export const ALERTED_VALUES_MAX = 100;

/** Places for on-demand counters of all limits in memory, with the ones that the ledger is asked for. */
export const ON_DEMAND_COUNTERS_MAX = 200_000;

/** The number of counters in all series together. */
export interface CounterBudget {
  counters: number;
  readonly max: number;
}

export interface SeriesOptions {
  /** Places for on-demand counters. Default: its own. */
  readonly places?: KeyPlaces;
  /** Default: none. */
  readonly leases?: CounterLeases | null;
}

interface ValueSubject {
  readonly tags: Readonly<Record<string, string>>;
  readonly context?: CallContext;
}

/** The period of a series whose limit was removed. */
const NO_PERIOD: Period = { start: Number.POSITIVE_INFINITY, end: Number.POSITIVE_INFINITY };

/** The counters of one limit in its open window. Counters of earlier windows live on in the calls that hold them. */
export class CounterSeries implements CounterOwner {
  limit: Limit;
  period: Period;
  /** Its counters include usage from before the limit existed. */
  hasPast: boolean;
  /** Its counters are read from the ledger when a call needs them, and dropped when idle. */
  readonly onDemand: boolean;
  /** Leases of its counters; null = it only warned until now, or no other node uses the limits. */
  leases: CounterLeases | null = null;
  /** null = no other node uses the limits. */
  readonly #shared: CounterLeases | null;
  readonly #budget: CounterBudget;
  readonly #places: KeyPlaces;
  readonly #counters = new Map<string, LimitCounter>();
  /** Values with a counter, by the key that sent them first. Values counted elsewhere are no key's. */
  readonly #placesByKey = new Map<string, number>();
  /** States of later windows, counted when window time was ahead. */
  #ahead: CounterState[] = [];
  /** Number of alerted values in this window. */
  #alertedValues = 0;
  /** Window time from which on-demand counters may be alerted again. */
  #alertsUntil = 0;
  /**
   * A value counted elsewhere found no place and went to `(other)`. No further value gets a place in this window,
   * because corrections must find the value where it was counted.
   */
  #hasFolded = false;
  /** The amount that was in force when a shared counter was last needed. */
  #leasedAmount = 0;

  constructor(limit: Limit, now: number, budget: CounterBudget, { places, leases }: SeriesOptions = {}) {
    this.limit = limit;
    this.#shared = leases ?? null;
    if (limit.action === 'block') this.leases = this.#shared;
    this.onDemand = isOnDemand(limit);
    this.#places = places ?? new KeyPlaces(ON_DEMAND_COUNTERS_MAX);
    this.hasPast = limit.countsPast;
    this.period = windowAt(limit.window, now, limit.zones);
    this.#budget = budget;
  }

  /** Takes the changed limit, whose counters stay. */
  change(limit: Limit): void {
    this.limit = limit;
    if (limit.action === 'block' && !this.leases) this.#share();
    if (this.onDemand || this.hasPast) return;
    for (const counter of this.#counters.values()) counter.isLoaded = !this.#awaitsPast;
  }

  /** Concurrent calls are counted from now on. */
  get isPartial(): boolean {
    return !this.hasPast && this.limit.unit !== 'concurrency';
  }

  get eachValue(): boolean {
    return countsEachValue(this.limit.scope);
  }

  /** Adds the counters of a call of this moment: one, or one for each agent above its own. */
  collect(subject: ValueSubject & { readonly keyId: string }, now: number, found: LimitCounter[]): void {
    const { scope } = this.limit;
    if (scope.kind !== 'each') return void found.push(this.counterAt(now, subject.tags, subject.keyId));
    this.roll(now);
    let hasOther = false;
    for (const value of eachValues(scope.of, subject.context ?? NO_CONTEXT)) {
      const counter = this.#get(value, subject.keyId);
      // Several agents of a line may share it.
      if (counter.value === OTHER_VALUE && hasOther) continue;
      hasOther ||= counter.value === OTHER_VALUE;
      found.push(counter);
    }
  }

  /** Returns the values that a call counts under. */
  values({ tags, context = NO_CONTEXT }: ValueSubject): readonly string[] {
    const { scope } = this.limit;
    return scope.kind === 'each' ? eachValues(scope.of, context) : [this.tagValue(tags)];
  }

  /** Returns the counter for a call of this moment. It is only kept once something is held or counted. */
  counterAt(now: number, tags: Readonly<Record<string, string>>, keyId: string | null = null): LimitCounter {
    this.roll(now);
    return this.#get(this.tagValue(tags), keyId);
  }

  /** Returns the value that a call with these tags counts under. */
  tagValue(tags: Readonly<Record<string, string>>): string {
    const { scope } = this.limit;
    if (scope.kind !== 'each_tag') return '';
    return (Object.hasOwn(tags, scope.key) ? tags[scope.key] : undefined) ?? NO_VALUE;
  }

  /** Opens the next window, empty, once window time has reached it. */
  roll(now: number): void {
    if (this.onDemand && now >= this.#alertsUntil) {
      this.#forgetAlerts();
      this.#alertsUntil = now + DAY_MS;
    }
    if (this.leases) this.#noteAmount(now, this.leases);
    if (now < this.period.end) return;
    this.period = windowAt(this.limit.window, now, this.limit.zones);
    this.#clear();
    const ahead = this.#ahead;
    this.#ahead = [];
    this.add(ahead);
  }

  /**
   * Adds usage counted elsewhere. States of closed windows, empty ones, and those of on-demand counters that are not
   * in memory, change nothing. Returns the changed counters.
   */
  add(states: readonly CounterState[]): LimitCounter[] {
    const changed: LimitCounter[] = [];
    for (const state of states) {
      const { windowStart, value, counted, uncertain } = state;
      if (windowStart > this.period.start && !this.onDemand) this.#ahead.push(state);
      if (windowStart !== this.period.start || (!counted && !uncertain)) continue;
      const counter = this.onDemand ? this.#counters.get(value) : this.#get(value, null);
      if (!counter) continue;
      if (counter.value !== value) this.#hasFolded = true;
      this.keep(counter);
      counter.count(counted, uncertain);
      changed.push(counter);
    }
    return changed;
  }

  has(counter: LimitCounter, now: number): boolean {
    const { period, value, keyId } = counter;
    if (period !== this.period || now >= period.end) return false;
    const known = this.#counters.get(value);
    if (known) return known === counter;
    // Found while the limit only warned.
    if (this.leases && !counter.lease) return false;
    return this.onDemand ? !counter.isLoaded : !this.#shares(value, keyId);
  }

  /** Puts an on-demand counter into memory, with what the ledger has counted. */
  install({ value, counted, uncertain }: CounterState, keyId: string, now: number): void {
    const known = this.#counters.get(value);
    if (known?.isLoaded) return;
    const counter = known ?? new LimitCounter(this, value, this.period, keyId);
    counter.isLoaded = true;
    counter.usedAt = now;
    counter.count(counted, uncertain);
    this.keep(counter);
  }

  /** Marks the counters that were in memory before the backfill as complete. */
  completeAll(): void {
    for (const counter of this.#counters.values()) counter.isLoaded = true;
  }

  /** Drops an on-demand counter that the ledger knows completely. */
  drop(counter: LimitCounter): void {
    if (this.#counters.get(counter.value) !== counter) return;
    this.#counters.delete(counter.value);
    this.#places.release(counter.keyId, countNamePlaces(counter.value));
  }

  keep(counter: LimitCounter): void {
    if (counter.period !== this.period || this.#counters.has(counter.value)) return;
    this.#counters.set(counter.value, counter);
    if (this.onDemand) return this.#places.take(counter.keyId, countNamePlaces(counter.value));
    this.#countPlace(counter, 1);
    this.#budget.counters += 1;
  }

  forget(counter: LimitCounter): void {
    // Counters of 0 are kept too: the ledger is not asked for the same session repeatedly.
    if (this.onDemand || !counter.idle || this.#counters.get(counter.value) !== counter) return;
    this.#counters.delete(counter.value);
    this.#countPlace(counter, -1);
    this.#budget.counters -= 1;
  }

  mayAlert(counter: LimitCounter): boolean {
    if (counter.hasAlerted) return true;
    if (this.hasAlertedEnough) return false;
    counter.hasAlerted = true;
    if (this.eachValue) this.#alertedValues += 1;
    return true;
  }

  get hasAlertedEnough(): boolean {
    return this.#alertedValues >= ALERTED_VALUES_MAX;
  }

  /** Drops the counters of a removed limit. Open calls forget them as they end. */
  close(): void {
    this.#clear();
    this.period = NO_PERIOD;
  }

  /** Returns the standing of each counter; a limit without calls has one at zero. */
  standings(now: number): CounterStatus[] {
    const counters = [...this.#counters.values()];
    if (counters.length === 0 && !this.eachValue) counters.push(new LimitCounter(this, '', this.period));
    return counters.map((counter) => counter.standing(now));
  }

  /** Returns the counter of a value; one without counts when nothing is counted for it. */
  counterNamed(value: string): LimitCounter {
    return this.#counters.get(value) ?? new LimitCounter(this, value, this.period);
  }

  /** Returns the counter of a state; null = it is of another window, shares a counter, or is not in memory on demand. */
  counterOf({ windowStart, value }: CounterState): LimitCounter | null {
    if (windowStart !== this.period.start) return null;
    const counter = this.onDemand ? this.#counters.get(value) : this.#get(value, null);
    return counter?.value === value && counter.isLoaded ? counter : null;
  }

  /** Counters in memory. */
  get size(): number {
    return this.#counters.size;
  }

  counters(): IterableIterator<LimitCounter> {
    return this.#counters.values();
  }

  /** Counts a place that a key takes or gives up. */
  #countPlace({ value, keyId }: LimitCounter, places: 1 | -1): void {
    if (!this.eachValue || keyId === null || !needsPlace(value)) return;
    const taken = (this.#placesByKey.get(keyId) ?? 0) + places;
    if (taken === 0) this.#placesByKey.delete(keyId);
    else this.#placesByKey.set(keyId, taken);
  }

  /** The limit begins to block. */
  #share(): void {
    const leases = this.#shared;
    if (!leases) return;
    this.leases = leases;
    leases.uncounted();
    for (const counter of this.#counters.values()) counter.share(leases);
  }

  /** The end of a raise lowers the amount. */
  #noteAmount(now: number, leases: CounterLeases): void {
    const amount = amountAt(this.limit, now);
    if (amount < this.#leasedAmount) leases.changed(this.limit.counter);
    this.#leasedAmount = amount;
  }

  #get(value: string, keyId: string | null): LimitCounter {
    const known = this.#counters.get(value);
    if (known) return known;
    if (this.onDemand) return new LimitCounter(this, value, this.period, keyId, false);
    return this.#shares(value, keyId)
      ? this.#get(OTHER_VALUE, keyId)
      : new LimitCounter(this, value, this.period, keyId, !this.#awaitsPast);
  }

  /**
   * Reports whether calls wait for the backfill of a blocking limit. A used-up limit with another window or scope would
   * otherwise admit its whole amount again.
   */
  get #awaitsPast(): boolean {
    return this.isPartial && this.limit.action === 'block';
  }

  /** Reports whether a value without a counter must share `(other)`. */
  #shares(value: string, keyId: string | null): boolean {
    return this.eachValue && needsPlace(value) && (this.#hasFolded || !this.#hasPlaceFor(keyId));
  }

  #clear(): void {
    if (this.onDemand)
      for (const { keyId, value } of this.#counters.values()) this.#places.release(keyId, countNamePlaces(value));
    else this.#budget.counters -= this.#counters.size;
    this.#counters.clear();
    this.#placesByKey.clear();
    this.#forgetAlerts();
    this.#hasFolded = false;
  }

  #forgetAlerts(): void {
    this.#alertedValues = 0;
  }

  /**
   * Reports whether a key may add a value. It takes at most as many places as it leaves free, so that no key shuts
   * out the values of others.
   */
  #hasPlaceFor(keyId: string | null): boolean {
    if (this.#budget.counters >= this.#budget.max) return false;
    const extra = Number(this.#counters.has(NO_VALUE)) + Number(this.#counters.has(OTHER_VALUE));
    const free = VALUES_PER_LIMIT_MAX - (this.#counters.size - extra);
    const taken = keyId === null ? 0 : (this.#placesByKey.get(keyId) ?? 0);
    return free > 0 && (keyId === null || taken + 1 < free);
  }
}
