import { type Limit, type CounterStatus, amountAt } from '../domain/limits/limit.ts';
import { addWhole, narrow, subtractWhole, type WholeAmount } from '../domain/money/money.ts';
import type { Period } from '../domain/time/period.ts';

/** From here on a limit counts as used up when it has no room for a call. */
const NEARLY_ALL_PER_CENT = 95;

/** What a counter belongs to; the limit is replaced when a person changes it. */
export interface CounterOwner {
  readonly limit: Limit;
  /** Calls of this moment count under it, and under no other in its place. */
  has(counter: LimitCounter, now: number): boolean;
  /** Something is held or counted: from now on it is remembered. */
  keep(counter: LimitCounter): void;
  /** A counter that holds nothing need not be remembered. */
  forget(counter: LimitCounter): void;
  /** Alerts may tell of it: each value's counter may pass every threshold, and values come from the wire. */
  mayAlert(counter: LimitCounter): boolean;
  /**
   * Alerts may tell once that a limit of nothing refuses calls: it never counts one, so that no counter of it is
   * remembered which could know that it was told.
   */
  mayAlertZeroLimit(counter: LimitCounter): boolean;
  /** Alerts have told of as many counters as they may. */
  readonly hasAlertedEnough: boolean;
}

/** What one limit counts in one window, for one value where it counts each apart. Amounts in the limit's unit. */
export class LimitCounter {
  readonly owner: CounterOwner;
  readonly value: string;
  readonly period: Period;
  /** The key whose call brought the value; null = it is no key's. */
  readonly keyId: string | null;
  counted: WholeAmount = 0;
  uncertain: WholeAmount = 0;
  /** Set aside by calls under way. */
  held: WholeAmount = 0;
  /** Calls under way that touch it. */
  calls = 0;
  /** The highest threshold that was told, in per cent. */
  alertedThreshold = 0;
  /** The amount of which that was said. */
  #alertedAmount = 0;
  /** Alerts have told of it. */
  hasAlerted = false;
  /** Calls that wait for room under it. */
  #waiting = 0;
  /** The same by key; absent until a call waits. */
  #waitingByKey: Map<string, number> | null = null;
  /** Holds of abandoned calls that were broken off, by key; absent until there is one. */
  #abandonedByKey: Map<string, number> | null = null;

  constructor(owner: CounterOwner, value: string, period: Period, keyId: string | null = null) {
    this.owner = owner;
    this.value = value;
    this.period = period;
    this.keyId = keyId;
  }

  get limit(): Limit {
    return this.owner.limit;
  }

  get waiting(): number {
    return this.#waiting;
  }

  waitingCalls(keyId: string): number {
    return this.#waitingByKey?.get(keyId) ?? 0;
  }

  /** Counts calls of a key that begin to wait, or wait no longer. */
  addWaiting(keyId: string, calls: 1 | -1): void {
    this.#waiting += calls;
    const ofKey = this.waitingCalls(keyId) + calls;
    if (this.#waiting === 0) this.#waitingByKey = null;
    else if (ofKey === 0) this.#waitingByKey?.delete(keyId);
    else (this.#waitingByKey ??= new Map()).set(keyId, ofKey);
  }

  /** Sum of the holds of a key's abandoned calls that were broken off in this window since the start of the process. */
  abandoned(keyId: string): number {
    return this.#abandonedByKey?.get(keyId) ?? 0;
  }

  addAbandoned(keyId: string, amount: number): void {
    (this.#abandonedByKey ??= new Map()).set(keyId, this.abandoned(keyId) + amount);
  }

  /** Nothing would be lost with it. */
  get idle(): boolean {
    return this.calls === 0 && this.counted === 0 && this.uncertain === 0 && this.waiting === 0;
  }

  /** What was told of another amount was told of another limit. */
  forgetOtherAmount(now: number): void {
    const amount = amountAt(this.limit, now);
    if (amount === this.#alertedAmount) return;
    this.alertedThreshold = 0;
    this.#alertedAmount = amount;
  }

  hold(amount: number): void {
    this.owner.keep(this);
    this.held = addWhole(this.held, amount);
    this.calls += 1;
  }

  release(amount: number): void {
    this.held = subtractWhole(this.held, amount);
    this.calls -= 1;
  }

  /** Amounts may be negative: corrections are. */
  count(counted: WholeAmount, uncertain: WholeAmount): void {
    this.counted = addSigned(this.counted, counted);
    this.uncertain = addSigned(this.uncertain, uncertain);
  }

  /** The amount that the window allows is used up, or nearly. */
  isUsedUp(now: number): boolean {
    return this.counted > 0 && Number(this.counted) * 100 >= amountAt(this.limit, now) * NEARLY_ALL_PER_CENT;
  }

  /** How much of the amount is neither counted nor held, at least 0. */
  left(now: number): number {
    const left = subtractWhole(amountAt(this.limit, now), addWhole(this.counted, this.held));
    return left > 0 ? Number(left) : 0;
  }

  standing(now: number): CounterStatus {
    const { limit, value, period, counted, uncertain, held } = this;
    return {
      limit,
      value,
      windowStart: period.start,
      windowEnd: Number.isFinite(period.end) ? period.end : null,
      amount: amountAt(limit, now),
      counted,
      uncertain,
      held,
      left: this.left(now),
    };
  }
}

function addSigned(sum: WholeAmount, change: WholeAmount): WholeAmount {
  const after = change < 0 ? subtractWhole(sum, -change) : addWhole(sum, change);
  return typeof after === 'bigint' ? narrow(after) : after;
}
