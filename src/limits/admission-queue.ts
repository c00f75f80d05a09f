import { WAITING_PER_COUNTER_MAX } from '../domain/limits/admission-rules.ts';
import type { CallAmounts } from '../domain/usage/call.ts';
import { hasFreeShare, KEY_TIMES_FREE } from '../lib/concurrency/lanes.ts';
import type { AdmissionBlock } from './admission-block.ts';
import type { LimitCounter } from './counter.ts';
import { Hold } from './hold.ts';
import type { LimitSubject } from './scope-index.ts';

/** Calls that wait under all counters together, with the same share per key. */
export const WAITING_MAX = 4_096;

/** A call that doesn't fit now and would fit alone. It holds nothing. */
export interface WaitingCall {
  readonly subject: LimitSubject;
  readonly need: CallAmounts;
  /** On the clock that only goes forward. */
  readonly until: number;
  /** Exactly one of the two runs, unless the wait is canceled. */
  admitted(hold: Hold): void;
  refused(blocked: AdmissionBlock): void;
}

interface QueuePlace {
  readonly waiter: WaitingCall;
  /** The counter that it waits under; null = it no longer waits. */
  counter: LimitCounter | null;
  blocked: AdmissionBlock;
}

type AdmissionTry = (waiter: WaitingCall, now: number) => Hold | AdmissionBlock;

/** The calls of each key that wait under one counter, longest wait first. The key whose turn is next comes first. */
type WaitingLines = Map<string, QueuePlace[]>;

/**
 * Calls waiting for room under a limit. Calls of one key are served in order of arrival; keys take turns, and a
 * call that does not fit holds up no other key.
 */
export class AdmissionQueue {
  readonly #tryAdmit: AdmissionTry;
  readonly #queues = new Map<LimitCounter, WaitingLines>();
  /** All waiting calls, longest wait first. */
  readonly #places = new Map<WaitingCall, QueuePlace>();
  /** Waiting calls per key. */
  readonly #countByKey = new Map<string, number>();

  constructor(tryAgain: AdmissionTry) {
    this.#tryAdmit = tryAgain;
  }

  get size(): number {
    return this.#places.size;
  }

  /** Queues a call. Returns false when its key has no place left. */
  enqueue(waiter: WaitingCall, blocked: AdmissionBlock): boolean {
    const { keyId } = waiter.subject;
    const ofKey = this.#countByKey.get(keyId) ?? 0;
    if (!hasFreeShare(ofKey, this.#places.size, WAITING_MAX, KEY_TIMES_FREE)) return false;
    if (!hasPlace(blocked.counter, keyId)) return false;
    const place: QueuePlace = { waiter, counter: null, blocked };
    this.#places.set(waiter, place);
    this.#countByKey.set(keyId, ofKey + 1);
    this.#enqueue(place, blocked);
    return true;
  }

  /** Removes a call whose client has disconnected. The calls behind it are tried by the next sweep. */
  cancel(waiter: WaitingCall): void {
    const place = this.#places.get(waiter);
    if (place) this.#leave(place);
  }

  /** Returns the counters that calls wait under. */
  counters(): LimitCounter[] {
    return [...this.#queues.keys()];
  }

  /**
   * Admits the calls that now fit under a counter. The keys that wait there take turns until none of their first
   * calls fits.
   */
  wake(counter: LimitCounter, now: number): void {
    const lines = this.#queues.get(counter);
    // A served key moves to the end of the map, where this loop reaches it again.
    for (const [keyId, line] of lines ?? []) {
      const [first] = line;
      if (!first || !this.#retry(first, now) || lines?.get(keyId) !== line) continue;
      lines.delete(keyId);
      lines.set(keyId, line);
    }
  }

  /**
   * Tries the first call of each key again, since a window may have ended or a call have left. Refuses calls that
   * waited too long.
   */
  sweep(now: number, uptime: number): void {
    for (const counter of this.counters()) this.wake(counter, now);
    for (const place of this.#places.values()) {
      const { counter, waiter } = place;
      if (!counter || waiter.until > uptime) continue;
      this.#leave(place);
      waiter.refused(place.blocked);
      this.#wakeLine(counter, waiter.subject.keyId, now);
    }
  }

  /**
   * Tries the next calls of a key whose first call has left. Other keys are unaffected, because a waiting call holds
   * nothing.
   */
  #wakeLine(counter: LimitCounter, keyId: string, now: number): void {
    for (;;) {
      const first = this.#queues.get(counter)?.get(keyId)?.[0];
      if (!first || !this.#retry(first, now)) return;
    }
  }

  /** Returns whether the call left its place, for good or for another counter. */
  #retry(place: QueuePlace, now: number): boolean {
    const { waiter, counter } = place;
    const outcome = this.#tryAdmit(waiter, now);
    if (outcome instanceof Hold) {
      this.#leave(place);
      waiter.admitted(outcome);
      return true;
    }
    place.blocked = outcome;
    if (outcome.reason === 'in_flight' && !outcome.isUnread) {
      if (outcome.counter === counter) return false;
      this.#dequeue(place);
      if (hasPlace(outcome.counter, waiter.subject.keyId)) {
        this.#enqueue(place, outcome);
        return true;
      }
    }
    this.#leave(place);
    waiter.refused(outcome);
    return true;
  }

  #enqueue(place: QueuePlace, { counter }: AdmissionBlock): void {
    const { keyId } = place.waiter.subject;
    place.counter = counter;
    counter.addWaiting(keyId, 1);
    let lines = this.#queues.get(counter);
    if (!lines) this.#queues.set(counter, (lines = new Map()));
    const line = lines.get(keyId);
    if (line) line.push(place);
    else lines.set(keyId, [place]);
  }

  #dequeue(place: QueuePlace): void {
    const { counter } = place;
    if (!counter) return;
    const { keyId } = place.waiter.subject;
    place.counter = null;
    counter.addWaiting(keyId, -1);
    const lines = this.#queues.get(counter);
    const line = lines?.get(keyId);
    line?.splice(line.indexOf(place), 1);
    if (line?.length === 0) lines?.delete(keyId);
    if (lines?.size === 0) this.#queues.delete(counter);
    // The counter was only kept for waiting calls.
    counter.owner.forget(counter);
  }

  #leave(place: QueuePlace): void {
    this.#dequeue(place);
    if (!this.#places.delete(place.waiter)) return;
    const { keyId } = place.waiter.subject;
    const left = (this.#countByKey.get(keyId) ?? 0) - 1;
    if (left > 0) this.#countByKey.set(keyId, left);
    else this.#countByKey.delete(keyId);
  }
}

function hasPlace(counter: LimitCounter, keyId: string): boolean {
  return hasFreeShare(counter.waitingCalls(keyId), counter.waiting, WAITING_PER_COUNTER_MAX, KEY_TIMES_FREE);
}
