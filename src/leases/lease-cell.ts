import type { CounterPlace } from '../domain/limits/limit.ts';
import { addWhole, subtractWhole, type WholeAmount } from '../domain/money/money.ts';
import { counterKey, type LeaseGrant, type LeaseItem } from './exchange.ts';
import { growStep, targetRoom } from './grant-size.ts';

/** After others asked for an amount, a node returns what it doesn't use for so long. */
const TIGHT_MS = 1_000;
/** A need that the authority called spent is not asked for again for so long. A raised amount ends that. */
const SPENT_MS = 1_000;
/** Usage is averaged over about this time … */
const RATE_MS = 1_000;
/** … and measured at most this often. */
const MEASURE_MS_MIN = 250;
/** Part of the step that is left after each heartbeat. */
const STEP_DECAY = 0.8;

/** Receives the cells that have something to say. */
export interface CellOwner {
  want(cell: LeaseCell): void;
}

/**
 * The part of one counter that this node may use. Invariant: `used + held <= cap`, and `cap` is at most what the authority
 * granted. Only an overrun, or a call that was open when its limit was created, raises `cap` by itself; the next exchange
 * says so.
 */
export class LeaseCell {
  readonly key: string;
  readonly place: CounterPlace;
  readonly #owner: CellOwner;
  /** Use of the node's ended calls in this window, those of former processes included. */
  used: WholeAmount = 0;
  /** Sum of the needs of open calls. */
  held: WholeAmount = 0;
  /** `used + held` may go up to this. */
  cap: WholeAmount = 0;
  /** False until the authority said what the node used of this counter before. Until then nothing is admitted under it. */
  isAdopted: boolean;
  /** A call ended since the last exchange asked what the node used: the answer may not count it. */
  #hasUncounted = false;
  /** Largest and smallest need of calls that lacked room since the last exchange; 0 = none did. */
  #need = 0;
  #leastNeed = 0;
  /** Sum of these needs. A call that was tried twice is in it twice. */
  #needs = 0;
  /** The need of the last exchange, and since when it is asked for. */
  #lastNeed = 0;
  #since: number | null = null;
  /** The amount was lowered, and the authority has not yet said that all grants fit into it. */
  isStrict = false;
  #tightUntil = Number.NEGATIVE_INFINITY;
  /** Needs from here on are spent. */
  #spentFrom = Number.POSITIVE_INFINITY;
  #spentUntil = Number.NEGATIVE_INFINITY;
  /** Below this much room the cell asks for more. */
  #lowRoom = 0;
  #step = 0;
  #rate = 0;
  #measuredUsed: WholeAmount = 0;
  #measuredAt = 0;
  /** It has left memory: its counter needs another one. */
  isDropped = false;
  /** Amount that ended calls of all nodes had used when a need was last called spent. */
  spent: WholeAmount = 0;
  /** Uptime at which a call last began or waited, as a heartbeat saw it. */
  touchedAt: number;
  #isTouched = false;

  /** @param isNew nothing was ever counted under the counter, so the authority needn't be asked */
  constructor(owner: CellOwner, place: CounterPlace, uptime: number, isNew = false) {
    this.#owner = owner;
    this.place = place;
    this.key = counterKey(place);
    this.touchedAt = uptime;
    this.#measuredAt = uptime;
    this.isAdopted = isNew;
  }

  /** The amount that a further call may hold. */
  get room(): number {
    return Number(subtractWhole(this.cap, this.#busy));
  }

  get #busy(): WholeAmount {
    return addWhole(this.used, this.held);
  }

  /** Holds the need of a call. The caller has checked `room`, unless the call is older than its limit. */
  hold(need: number): void {
    this.held = addWhole(this.held, need);
    this.#isTouched = true;
    this.#coverBusy();
    if (this.room < this.#lowRoom) this.#owner.want(this);
  }

  /** Ends the hold of a call that used `counted`, which may be more than its need. If the cell is not adopted, tell `uncountedTo`. */
  settle(need: number, counted: WholeAmount, uptime: number): void {
    this.held = subtractWhole(this.held, need);
    // Until it is adopted, the authority counts the call when it is shipped.
    if (this.isAdopted) this.used = addWhole(this.used, counted);
    else this.#hasUncounted = true;
    this.#coverBusy();
    if (this.#isTight(uptime)) this.returnUnused();
  }

  /** Notes that a call lacks room. A call that still waits after the next exchange asks again. */
  ask(need: number): void {
    this.#isTouched = true;
    this.#leastNeed = this.#need === 0 ? need : Math.min(this.#leastNeed, need);
    this.#need = Math.max(this.#need, need);
    this.#needs = Math.min(this.#needs + need, Number.MAX_SAFE_INTEGER);
    this.#owner.want(this);
  }

  /** Reports whether the authority said that a need is more than ended calls have left of the amount. */
  isSpent(need: number, uptime: number): boolean {
    return need >= this.#spentFrom && uptime < this.#spentUntil;
  }

  /** Returns the unused amount: others need it, or the lease was over. */
  returnUnused(): void {
    const busy = this.#busy;
    if (this.cap <= busy) return;
    this.cap = busy;
    this.#owner.want(this);
  }

  /** Returns what is unused now, and what ended calls leave for a while. */
  recall(uptime: number): void {
    this.#tightUntil = uptime + TIGHT_MS;
    this.returnUnused();
  }

  /** The amount was lowered: returns what is unused until the authority says that all grants fit. */
  lower(uptime: number): void {
    this.isStrict = true;
    this.recall(uptime);
    this.#owner.want(this);
  }

  /** The amount was raised or corrected: what was spent may not be any more. */
  raise(): void {
    this.#spentUntil = Number.NEGATIVE_INFINITY;
  }

  /** Lets the step fall, and returns the amount of a cell that was unused for `idleMs`. */
  beat(uptime: number, idleMs: number): void {
    if (this.#isTouched) this.touchedAt = uptime;
    this.#isTouched = false;
    this.#step = Math.floor(this.#step * STEP_DECAY);
    this.#measure(uptime);
    if (this.isStrict) this.#owner.want(this);
    if (uptime - this.touchedAt >= idleMs) this.returnUnused();
  }

  /** Reports whether the authority knows all about it, so that it may leave memory once its calls are shipped. */
  isIdle(uptime: number, idleMs: number): boolean {
    const isQuiet = this.held === 0 && this.#need === 0 && !this.isStrict && !this.#isTouched;
    return isQuiet && this.cap === this.used && uptime - this.touchedAt >= idleMs;
  }

  /** Returns what to say in the next exchange. */
  toItem(uptime: number): LeaseItem {
    this.#measure(uptime);
    const { key, place, room } = this;
    const need = this.#need;
    const lack = Math.max(0, need - room);
    const leastLack = Math.max(0, this.#leastNeed - room);
    const needs = this.#needs;
    [this.#need, this.#leastNeed, this.#needs] = [0, 0, 0];
    if (need !== this.#lastNeed) this.#since = null;
    this.#lastNeed = need;
    this.#hasUncounted = false;
    const isTight = this.#isTight(uptime);
    if (lack > 0 && !isTight) this.#step = growStep(this.#step, need);
    const wish = Math.max(lack, (isTight ? needs : this.#target) - room);
    const keep = this.isAdopted ? this.cap : null;
    return { ...place, key, keep, spent: this.used, need, lack, leastLack, wish, since: this.#since };
  }

  /**
   * Takes a grant.
   * @param isVoid the amount was lowered after the exchange was sent: the grant may be of the old amount, and goes back
   */
  take({ given, adopted, state, since, spent }: LeaseGrant, uptime: number, isVoid: boolean): void {
    if (adopted !== null && !this.isAdopted && !this.#hasUncounted) {
      this.isAdopted = true;
      this.used = adopted;
      // Calls that were open when a limit began to block, and calls that need nothing, are held before.
      this.cap = this.#busy;
      this.#measuredUsed = adopted;
      if (this.held > 0) this.#owner.want(this);
    }
    if (isVoid) return this.#owner.want(this);
    this.cap = addWhole(this.cap, given);
    this.#since = since;
    if (state === 'spent') {
      [this.#spentFrom, this.#spentUntil] = [this.#lastNeed, uptime + SPENT_MS];
      this.spent = spent ?? 0;
    }
    if (state === 'granted') this.isStrict = false;
    else this.#tightUntil = uptime + TIGHT_MS;
    this.#lowRoom = this.#isTight(uptime) ? 0 : Math.min(this.#target, Math.max(this.room, 1)) / 2;
  }

  get #target(): number {
    return targetRoom(this.#rate, this.#step);
  }

  #isTight(uptime: number): boolean {
    return this.isStrict || uptime < this.#tightUntil;
  }

  /** Raises the cap to what calls really used: the authority learns it in full, and others get less. */
  #coverBusy(): void {
    const busy = this.#busy;
    if (busy <= this.cap) return;
    this.cap = busy;
    this.#owner.want(this);
  }

  #measure(uptime: number): void {
    const ms = uptime - this.#measuredAt;
    if (ms < MEASURE_MS_MIN) return;
    const rate = Number(subtractWhole(this.used, this.#measuredUsed)) / ms;
    const weight = Math.exp(-ms / RATE_MS);
    this.#rate = this.#rate * weight + rate * (1 - weight);
    [this.#measuredUsed, this.#measuredAt] = [this.used, uptime];
  }
}
