import type { CallAmounts } from '../domain/usage/call.ts';
import { hasFreeShare, KEY_TIMES_FREE } from '../lib/concurrency/lanes.ts';
import type { AdmissionBlock } from './admission-block.ts';
import type { LimitCounter } from './counter.ts';
import { Hold } from './hold.ts';
import type { LimitSubject } from './scope-index.ts';

/** Calls that wait under one counter. A key may have as many of these places as it leaves free (`KEY_TIMES_FREE`). */
export const WAITING_PER_COUNTER_MAX = 64;
/** Calls that wait under all counters together, with the same share for a key. */
export const WAITING_MAX = 4_096;
/** Longest wait of one call. */
export const WAIT_MS_MAX = 2_000;

/** A call that doesn't fit now and would fit alone. It holds nothing. */
export interface WaitingCall {
  readonly subject: LimitSubject;
  readonly need: CallAmounts;
  /** On the clock that only goes forward. */
  readonly until: number;
  /** Exactly one of the two is told, unless the wait is cancelled. */
  admitted(hold: Hold): void;
  refused(blocked: AdmissionBlock): void;
}

interface QueuePlace {
  readonly waiter: WaitingCall;
  /** Where it didn't fit; null = it waits no more. */
  counter: LimitCounter | null;
  blocked: AdmissionBlock;
}

type AdmissionTry = (waiter: WaitingCall, now: number) => Hold | AdmissionBlock;

/** The calls of each key that wait under one counter, the longest waiting first; the key whose turn is next comes first. */
type WaitingLines = Map<string, QueuePlace[]>;

/**
 * Calls that wait for room under a limit. Those of one key go first come first served; keys take turns, and one whose
 * call doesn't fit holds up no other.
 */
export class AdmissionQueue {
  readonly #tryAdmit: AdmissionTry;
  readonly #queues = new Map<LimitCounter, WaitingLines>();
  /** All of them, the longest waiting first. */
  readonly #places = new Map<WaitingCall, QueuePlace>();
  /** How many of them each key has. */
  readonly #countByKey = new Map<string, number>();

  constructor(tryAgain: AdmissionTry) {
    this.#tryAdmit = tryAgain;
  }

  get size(): number {
    return this.#places.size;
  }

  /** False when there is no place left for its key. */
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

  /** Whoever waited is gone and is told nothing. Those behind are tried by the next sweep. */
  cancel(waiter: WaitingCall): void {
    const place = this.#places.get(waiter);
    if (place) this.#leave(place);
  }

  /** There may be room under a counter: the keys that wait there take turns until no first call of any of them fits. */
  wake(counter: LimitCounter, now: number): void {
    const lines = this.#queues.get(counter);
    // A key that was served goes to the end of the map, where this loop meets it again.
    for (const [keyId, line] of lines ?? []) {
      const [first] = line;
      if (!first || !this.#retry(first, now) || lines?.get(keyId) !== line) continue;
      lines.delete(keyId);
      lines.set(keyId, line);
    }
  }

  /** Tries the first of each line: a window may have ended, or one before it have left. Refuses calls that waited too long. */
  sweep(now: number, uptime: number): void {
    for (const counter of Array.from(this.#queues.keys())) this.wake(counter, now);
    for (const place of this.#places.values()) {
      const { counter, waiter } = place;
      if (!counter || waiter.until > uptime) continue;
      this.#leave(place);
      waiter.refused(place.blocked);
      this.#wakeLine(counter, waiter.subject.keyId, now);
    }
  }

  /** The first call of a line has left, which changes nothing for other keys: it held nothing. */
  #wakeLine(counter: LimitCounter, keyId: string, now: number): void {
    for (;;) {
      const first = this.#queues.get(counter)?.get(keyId)?.[0];
      if (!first || !this.#retry(first, now)) return;
    }
  }

  /** Says whether the place was left, for good or for another queue. */
  #retry(place: QueuePlace, now: number): boolean {
    const { waiter, counter } = place;
    const outcome = this.#tryAdmit(waiter, now);
    if (outcome instanceof Hold) {
      this.#leave(place);
      waiter.admitted(outcome);
      return true;
    }
    place.blocked = outcome;
    if (outcome.reason === 'in_flight') {
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
    // It was remembered for those who wait.
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
