import {
  type CounterPlace,
  type CounterState,
  type Limit,
  type CounterStatus,
  addHeld,
  amountAt,
} from '../domain/limits/limit.ts';
import { addWhole, narrow, subtractWhole, type WholeAmount } from '../domain/money/money.ts';
import type { Period } from '../domain/time/period.ts';
import { CounterLease, type CounterLeases, type LeaseRoom } from './counter-lease.ts';

/** Percent of the amount from which a limit that has no room for a call counts as used up. */
export const NEARLY_ALL_PERCENT = 95;

/** Owner of a counter. Its limit is replaced when a user changes it. */
export interface CounterOwner {
  readonly limit: Limit;
  /** Its counters lack usage from before the limit existed, which the ledger still counts. */
  readonly isPartial: boolean;
  /** Leases of its counters; null = this process may use the whole amount. */
  readonly leases: CounterLeases | null;
  /** Reports whether calls of this moment count under this counter. */
  has(counter: LimitCounter, now: number): boolean;
  /** Remembers a counter from its first hold or count. */
  keep(counter: LimitCounter): void;
  /** Drops a counter that holds and counts nothing. */
  forget(counter: LimitCounter): void;
  /** Drops an on-demand counter, which the ledger knows. */
  drop(counter: LimitCounter): void;
  /**
   * Reports whether alerts may be raised for this counter. The number of alerted values is bounded, because values
   * come from requests.
   */
  mayAlert(counter: LimitCounter): boolean;
  /** Reports whether as many values were alerted as may be. */
  readonly hasAlertedEnough: boolean;
}

type AmountsOfCounter = Pick<CounterState, 'counted' | 'uncertain'>;

/** The count of one limit in one window, for one value where values are counted apart. Amounts in the limit's unit. */
export class LimitCounter {
  readonly owner: CounterOwner;
  readonly value: string;
  readonly period: Period;
  /** The part that this node may use; null = the whole amount. */
  lease: CounterLease | null = null;
  /** The key whose call first sent the value; null = counted elsewhere, so no key's. */
  readonly keyId: string | null;
  counted: WholeAmount = 0;
  uncertain: WholeAmount = 0;
  /** Sum of the needs of open calls. */
  held: WholeAmount = 0;
  /** Held by open calls of other nodes, as they said last. */
  heldElsewhere: WholeAmount = 0;
  /** Open calls that count under it. */
  calls = 0;
  /** The highest alerted threshold, in percent. */
  alertedThreshold = 0;
  /** The amount that the alerted threshold belongs to. */
  #alertedAmount = 0;
  /**
   * False until the ledger said what the counter had counted before it was in memory. Until then nothing is admitted
   * under it.
   */
  isLoaded: boolean;
  /** Window time at which a call last began or ended under it; kept for counters that are dropped when idle. */
  usedAt = 0;
  /** An alert was raised for it. */
  hasAlerted = false;
  /** Calls that wait for room under it. */
  #waiting = 0;
  /** Waiting calls by key; absent until a call waits. */
  #waitingByKey: Map<string, number> | null = null;
  /** Holds of abandoned calls that were broken off, by key; absent until there is one. */
  #abandonedByKey: Map<string, number> | null = null;

  constructor(owner: CounterOwner, value: string, period: Period, keyId: string | null = null, isLoaded = true) {
    this.isLoaded = isLoaded;
    this.owner = owner;
    this.value = value;
    this.period = period;
    this.keyId = keyId;
    if (owner.leases) this.#openLease(owner.leases);
  }

  get limit(): Limit {
    return this.owner.limit;
  }

  get place(): CounterPlace {
    return { counter: this.limit.counter, windowStart: this.period.start, value: this.value };
  }

  get waiting(): number {
    return this.#waiting;
  }

  waitingCalls(keyId: string): number {
    return this.#waitingByKey?.get(keyId) ?? 0;
  }

  /** Counts a call of a key that begins or stops waiting. */
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

  /** Nothing is lost when it is dropped. */
  get idle(): boolean {
    return (
      this.calls === 0 && this.counted === 0 && this.uncertain === 0 && this.waiting === 0 && this.heldElsewhere === 0
    );
  }

  /** Forgets the alerted threshold when the limit's amount has changed. */
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
    this.lease?.hold(amount);
  }

  /** Ends the hold of a call that was not sent. */
  release(amount: number): void {
    this.held = subtractWhole(this.held, amount);
    this.calls -= 1;
    this.lease?.settle(amount, 0);
  }

  /** Ends the hold of a call, and counts what it used. */
  settle(amount: number, counted: number, uncertain: number): void {
    this.held = subtractWhole(this.held, amount);
    this.calls -= 1;
    this.count(counted, uncertain);
    this.lease?.settle(amount, counted);
  }

  /** Begins to use only what this node was granted: the limit blocks from now on. */
  share(leases: CounterLeases): void {
    this.#openLease(leases);
    if (this.held > 0) this.lease?.hold(Number(this.held));
  }

  /** Returns the room of this node for a need; null = the counter is not shared. */
  room(need: number): LeaseRoom | null {
    if (!this.lease) return null;
    const room = this.lease.find(need);
    // The authority knows what other nodes have counted since.
    if (room === 'spent' && this.counted < this.lease.spent) {
      this.owner.keep(this);
      this.counted = this.lease.spent;
    }
    return room;
  }

  #openLease(leases: CounterLeases): void {
    this.lease = new CounterLease(leases, this.place);
  }

  /** Sets what all nodes have counted: what the ledger has, and what it does not have yet. Returns whether it changed. */
  setTotal(total: AmountsOfCounter, unshipped: AmountsOfCounter, heldElsewhere: WholeAmount): boolean {
    const counted = addSigned(total.counted, unshipped.counted);
    const uncertain = addSigned(total.uncertain, unshipped.uncertain);
    if (counted === this.counted && uncertain === this.uncertain && heldElsewhere === this.heldElsewhere) return false;
    this.owner.keep(this);
    [this.counted, this.uncertain, this.heldElsewhere] = [counted, uncertain, heldElsewhere];
    return true;
  }

  /** Amounts may be negative: corrections are. */
  count(counted: WholeAmount, uncertain: WholeAmount): void {
    this.counted = addSigned(this.counted, counted);
    this.uncertain = addSigned(this.uncertain, uncertain);
  }

  /** Reports whether nearly all of the window's amount is used. */
  isUsedUp(now: number): boolean {
    return this.counted > 0 && Number(this.counted) * 100 >= amountAt(this.limit, now) * NEARLY_ALL_PERCENT;
  }

  /**
   * The amount that is neither counted nor held, at least 0.
   * @param own part of `held` that is left out
   */
  left(now: number, own = 0): number {
    const left = subtractWhole(amountAt(this.limit, now), addWhole(this.counted, subtractWhole(this.held, own)));
    return left > 0 ? Number(left) : 0;
  }

  /** Returns the standing with what open calls of other nodes hold. */
  sharedStanding(now: number): CounterStatus {
    const standing = this.standing(now);
    return this.heldElsewhere === 0 ? standing : addHeld(standing, this.heldElsewhere);
  }

  standing(now: number, own = 0): CounterStatus {
    const { limit, value, period, counted, uncertain } = this;
    const standing: CounterStatus = {
      limit,
      value,
      windowStart: period.start,
      windowEnd: Number.isFinite(period.end) ? period.end : null,
      amount: amountAt(limit, now),
      counted,
      uncertain,
      held: subtractWhole(this.held, own),
      left: this.left(now, own),
    };
    return this.owner.isPartial ? { ...standing, isPartial: true } : standing;
  }
}

function addSigned(sum: WholeAmount, change: WholeAmount): WholeAmount {
  const after = change < 0 ? subtractWhole(sum, -change) : addWhole(sum, change);
  return typeof after === 'bigint' ? narrow(after) : after;
}
