import { windowAt } from '../time/window.ts';
import { SECOND_MS } from '../time/units.ts';
import { PICO_PER_NANO } from '../money/money.ts';
import type { CallAmounts } from '../usage/call.ts';
import { PARTS_OF_REST, RETRY_S_MAX, WAIT_MS_MAX, WAITING_PER_COUNTER_MAX } from './admission-rules.ts';
import { amountIn } from './counting.ts';
import type { Limit, LimitUnit } from './limit.ts';

/** A past call as a limit counts it. Amounts are in the limit's unit. */
export interface ReplayedCall {
  readonly startedAt: number;
  readonly endedAt: number;
  /** Values that the call counts under; `['']` for a limit with one counter. */
  readonly values: readonly string[];
  /** null = the call has no price, and a limit that blocks by dollars refuses it. */
  readonly hold: number | null;
  /** Amount counted at the end of the call. */
  readonly counted: number;
  /** Hold of the shortest form that the key's policy allows; null = the policy does not shorten the call. */
  readonly shortest: number | null;
}

export interface ReplayedLimit extends Pick<Limit, 'amount' | 'window' | 'zones'> {
  /** Amounts that were counted in the window of the first call before that call, by value. */
  readonly counted: ReadonlyMap<string, number>;
}

/** Effect of a limit on past calls; no call counts twice. */
export interface ReplayCounts {
  readonly calls: number;
  /** Includes calls without a price. */
  readonly refused: number;
  readonly shortened: number;
  /** Sent whole after waiting for other calls. */
  readonly waited: number;
}

interface ReplayCounter {
  counted: number;
  held: number;
  readonly windowEnd: number;
  readonly waiting: Set<PendingCall>;
}

/** A call that runs or waits. */
interface PendingCall {
  readonly call: ReplayedCall;
  readonly counters: readonly ReplayCounter[];
  /** Amount that the call needs or holds now. */
  need: number;
  state: 'new' | 'waiting' | 'running' | 'done';
}

/** A running call ends, or a waiting call gives up. */
interface ReplayEvent {
  readonly at: number;
  readonly order: number;
  readonly pending: PendingCall;
  readonly kind: 'end' | 'give_up';
}

/**
 * Replays past calls under a limit that blocks: each call is admitted, waits, is shortened or is refused by the rules of
 * the gateway. Add calls in order of start, then call `finish`.
 */
export class LimitReplay {
  readonly #limit: ReplayedLimit;
  readonly #counters = new Map<string, ReplayCounter>();
  readonly #events: ReplayEvent[] = [];
  #order = 0;
  #firstWindow: number | null = null;
  #calls = 0;
  #refused = 0;
  #shortened = 0;
  #waited = 0;

  constructor(limit: ReplayedLimit) {
    this.#limit = limit;
  }

  add(call: ReplayedCall): void {
    this.#calls += 1;
    this.#passUntil(call.startedAt);
    if (call.hold === null) this.#refused += 1;
    else this.#decide(this.#begin(call, call.hold), call.startedAt);
  }

  finish(): ReplayCounts {
    this.#passUntil(Infinity);
    return { calls: this.#calls, refused: this.#refused, shortened: this.#shortened, waited: this.#waited };
  }

  #begin(call: ReplayedCall, hold: number): PendingCall {
    const window = windowAt(this.#limit.window, call.startedAt, this.#limit.zones);
    this.#firstWindow ??= window.start;
    const counters = call.values.map((value) => this.#findCounter(value, window.start, window.end));
    return { call, counters, need: hold, state: 'new' };
  }

  #findCounter(value: string, windowStart: number, windowEnd: number): ReplayCounter {
    const name = `${windowStart} ${value}`;
    let counter = this.#counters.get(name);
    if (!counter) {
      const counted = windowStart === this.#firstWindow ? (this.#limit.counted.get(value) ?? 0) : 0;
      counter = { counted, held: 0, windowEnd, waiting: new Set() };
      this.#counters.set(name, counter);
    }
    return counter;
  }

  #passUntil(now: number): void {
    for (let next = this.#events[0]; next !== undefined && next.at <= now; next = this.#events[0]) {
      takeEarliest(this.#events);
      if (next.kind === 'end') this.#end(next.pending, next.at);
      else if (next.pending.state === 'waiting') this.#giveUp(next.pending, next.at);
    }
  }

  #decide(pending: PendingCall, now: number): void {
    if (this.#admit(pending, now) || this.#wait(pending, now)) return;
    this.#shorten(pending, now);
  }

  #admit(pending: PendingCall, now: number): boolean {
    const { counters, need, call } = pending;
    if (need > 0 && need > this.#left(counters)) return false;
    for (const counter of counters) {
      counter.held += need;
      counter.waiting.delete(pending);
    }
    if (need < (call.hold ?? 0)) this.#shortened += 1;
    else if (pending.state === 'waiting') this.#waited += 1;
    pending.state = 'running';
    this.#schedule('end', pending, now + Math.max(0, call.endedAt - call.startedAt));
    return true;
  }

  /** Waits once, if the call fits as soon as others end. */
  #wait(pending: PendingCall, now: number): boolean {
    const { counters, need, state } = pending;
    if (state !== 'new' || !this.#fitsAlone(counters, need)) return false;
    if (counters.some(({ waiting }) => waiting.size >= WAITING_PER_COUNTER_MAX)) return false;
    pending.state = 'waiting';
    for (const { waiting } of counters) waiting.add(pending);
    this.#schedule('give_up', pending, now + WAIT_MS_MAX);
    return true;
  }

  /** Shortens the call to what is left, or refuses it. */
  #shorten(pending: PendingCall, now: number): void {
    const { counters, call, need } = pending;
    if (call.shortest === null || call.shortest >= need || this.#fitsSoon(counters, need, now))
      return this.#refuse(pending);
    pending.need = Math.max(call.shortest, Math.min(need, Math.floor(this.#left(counters) / PARTS_OF_REST)));
    if (!this.#admit(pending, now) && !this.#wait(pending, now)) this.#refuse(pending);
  }

  #refuse(pending: PendingCall): void {
    pending.state = 'done';
    for (const { waiting } of pending.counters) waiting.delete(pending);
    this.#refused += 1;
  }

  #giveUp(pending: PendingCall, now: number): void {
    this.#shorten(pending, now);
  }

  #end({ call, counters, need }: PendingCall, now: number): void {
    const counted = need < (call.hold ?? 0) ? Math.min(call.counted, need) : call.counted;
    for (const counter of counters) {
      counter.held -= need;
      counter.counted += counted;
    }
    for (const { waiting } of counters) for (const pending of waiting) this.#tryAgain(pending, now);
  }

  #tryAgain(pending: PendingCall, now: number): void {
    if (this.#admit(pending, now) || this.#fitsAlone(pending.counters, pending.need)) return;
    this.#shorten(pending, now);
  }

  #left(counters: readonly ReplayCounter[]): number {
    let left = Infinity;
    for (const { counted, held } of counters) left = Math.min(left, this.#limit.amount - counted - held);
    return left;
  }

  #fitsAlone(counters: readonly ReplayCounter[], need: number): boolean {
    return counters.every(({ counted }) => counted + need <= this.#limit.amount);
  }

  /** Reports whether the next window begins soon and has room for the call. */
  #fitsSoon(counters: readonly ReplayCounter[], need: number, now: number): boolean {
    if (need > this.#limit.amount || this.#fitsAlone(counters, need)) return false;
    return counters.every(({ windowEnd }) => windowEnd - now <= RETRY_S_MAX * SECOND_MS);
  }

  #schedule(kind: ReplayEvent['kind'], pending: PendingCall, at: number): void {
    addEvent(this.#events, { at, order: this.#order, pending, kind });
    this.#order += 1;
  }
}

/** Adds an event to a binary heap whose first event is the earliest. */
function addEvent(heap: ReplayEvent[], event: ReplayEvent): void {
  let index = heap.push(event) - 1;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const other = heap[above];
    if (!other || !isEarlier(event, other)) break;
    heap[index] = other;
    index = above;
  }
  heap[index] = event;
}

/** Removes the earliest event. */
function takeEarliest(heap: ReplayEvent[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const [first, second] = [heap[left], heap[left + 1]];
    const isSecond = first && second && isEarlier(second, first);
    const below = isSecond ? second : first;
    if (!below || !isEarlier(below, last)) break;
    heap[index] = below;
    index = isSecond ? left + 1 : left;
  }
  heap[index] = last;
}

function isEarlier(a: ReplayEvent, b: ReplayEvent): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Amounts that past calls held, in the limit's unit. */
export interface HoldFigures {
  readonly median: number;
  readonly p95: number;
  readonly max: number;
}

/** Returns the median, the 95th percentile and the largest of the holds, each the hold of one call; null = no call. */
export function summarizeHolds(holds: readonly number[]): HoldFigures | null {
  if (holds.length === 0) return null;
  const ascending = Float64Array.from(holds).toSorted();
  const atRank = (part: number): number => ascending[Math.ceil(part * ascending.length) - 1] ?? 0;
  return { median: atRank(0.5), p95: atRank(0.95), max: atRank(1) };
}

/** A key's policy for calls that do not fit, and the output price of the called model. */
export interface ShorteningTerms {
  /** Fewest output tokens of a shortened call; null = the policy does not shorten calls. */
  readonly minOutputTokens: number | null;
  /** Price of an output token in pico-USD; null = unknown. */
  readonly outputPrice: number | null;
}

/** Returns what the shortest form of a call holds; null = the call cannot be shortened under a limit of this unit. */
export function holdOfShortest(
  unit: LimitUnit,
  hold: CallAmounts,
  { minOutputTokens, outputPrice }: ShorteningTerms,
): number | null {
  if (minOutputTokens === null || unit === 'calls' || unit === 'concurrency') return null;
  const outputTokens = Math.min(hold.outputTokens, minOutputTokens);
  if (unit !== 'usd') return amountIn(unit, { ...hold, outputTokens });
  if (hold.usd === null || outputPrice === null) return null;
  const saved = Math.floor(((hold.outputTokens - outputTokens) * outputPrice) / PICO_PER_NANO);
  // A hold below the price of its output was not made with this price.
  return saved < hold.usd ? hold.usd - saved : null;
}

/** Returns the number of calls with this hold that an unused amount admits at the same time; null = any number. */
export function countFitting(amount: number, hold: number): number | null {
  return hold === 0 ? null : Math.floor(amount / hold);
}
