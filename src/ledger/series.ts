import { type CounterState, type Limit, NO_VALUE, OTHER_VALUE } from '../core/limit.ts';
import type { Period } from '../core/period.ts';
import { windowAt } from '../core/window.ts';
import { Counter } from './counter.ts';

/** Values that one limit keeps apart in one window; further ones share a counter. */
export const VALUES_PER_LIMIT_MAX = 10_000;

/** Where all series together note how many counters they have. */
export interface CounterBudget {
  counters: number;
  readonly max: number;
}

/** The counters of one limit in the window that is open. Those of windows before live on in the calls that hold them. */
export class Series {
  limit: Limit;
  period: Period;
  readonly #budget: CounterBudget;
  readonly #counters = new Map<string, Counter>();

  constructor(limit: Limit, now: number, budget: CounterBudget) {
    this.limit = limit;
    this.period = windowAt(limit.window, now, limit.zones);
    this.#budget = budget;
  }

  get eachValue(): boolean {
    return this.limit.scope.kind === 'each_tag';
  }

  /** The counter for a call of this moment. */
  at(now: number, tags: Readonly<Record<string, string>>): Counter {
    this.roll(now);
    const { scope } = this.limit;
    if (scope.kind !== 'each_tag') return this.#get('');
    const value = tags[scope.key];
    return this.#get(value === undefined ? NO_VALUE : value);
  }

  /** Ledger time has gone on: the next window begins empty. */
  roll(now: number): void {
    if (now < this.period.end) return;
    this.period = windowAt(this.limit.window, now, this.limit.zones);
    this.clear();
  }

  /** Takes what was counted before; states of other windows are left alone. */
  add(states: readonly CounterState[]): void {
    for (const { windowStart, value, counted, uncertain } of states)
      if (windowStart === this.period.start) this.#get(value).count(counted, uncertain);
  }

  /** The counter of the open window; null = nothing was counted for this value. */
  find(windowStart: number, value: string): Counter | null {
    return windowStart === this.period.start ? (this.#counters.get(value) ?? null) : null;
  }

  /** A counter that holds nothing need not be remembered. */
  forget(counter: Counter): void {
    if (!counter.idle || this.#counters.get(counter.value) !== counter) return;
    this.#counters.delete(counter.value);
    this.#budget.counters -= 1;
  }

  clear(): void {
    this.#budget.counters -= this.#counters.size;
    this.#counters.clear();
  }

  counters(): IterableIterator<Counter> {
    return this.#counters.values();
  }

  #get(value: string): Counter {
    const known = this.#counters.get(value);
    if (known) return known;
    if (this.#full && value !== NO_VALUE && value !== OTHER_VALUE && this.eachValue) return this.#get(OTHER_VALUE);
    const counter = new Counter(this, value, this.period);
    this.#counters.set(value, counter);
    this.#budget.counters += 1;
    return counter;
  }

  get #full(): boolean {
    return this.#counters.size >= VALUES_PER_LIMIT_MAX || this.#budget.counters >= this.#budget.max;
  }
}
