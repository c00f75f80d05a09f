import { TollbookError } from '../../domain/errors.ts';
import { ADDRESS_TIMES_FREE, KEY_TIMES_FREE } from '../../lib/concurrency/lanes.ts';
import { NO_PLACE, type SlotItem, SlotSet } from '../../lib/concurrency/slots.ts';

/** A wrapped key or client address whose request bodies are counted. */
export interface BodyHolder {
  readonly name: string;
  bodyBytes: number;
}

export interface BodyBudgetLimits {
  /** All request bodies together. */
  readonly bodiesInMemoryBytesMax: number;
  /** Lowest rate of a large body, in bytes per second. */
  readonly bodyBytesPerSecondMin: number;
  /** Time for a whole body; absent = as long as a request may take. */
  readonly bodyMsMax?: number;
  /** Names in errors who the bodies belong to; absent = a wrapped key. */
  readonly holderName?: string;
}

/** Length of a window over which a body's rate is measured. The rate is unknown before the first window ends. */
const RATE_WINDOW_MS = 5_000;
/** Slow windows that are tolerated: a phone changes networks, a packet is lost. */
const SLOW_WINDOWS_MAX = 1;
/** Bodies up to this size may be slow and are never evicted. */
const SMALL_BODY_BYTES_MAX = 64 * 1024;
const KIB = 1_024;

/** Shares the memory for request bodies among wrapped keys and client addresses. */
export class BodyBudget {
  readonly #limits: BodyBudgetLimits;
  readonly #reading = new SlotSet<BodyLease>();
  #bytes = 0;

  constructor(limits: BodyBudgetLimits) {
    this.#limits = limits;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Takes the bytes, and refuses slower bodies to make room if necessary. Returns why not if there is still no room for
   * this key or address; then nothing was taken.
   */
  take(lease: BodyLease, bytes: number): TollbookError | null {
    while (!this.#fits(lease, bytes)) {
      const slowest = this.#slowestBelow(lease, bytes);
      if (!slowest) return this.#refusal(lease, bytes);
      slowest.cut(evicted());
    }
    this.#add(lease, bytes);
    return null;
  }

  release(lease: BodyLease, bytes: number): void {
    this.#add(lease, -bytes);
  }

  /** Starts measuring the body's rate. */
  watch(lease: BodyLease): void {
    this.#reading.add(lease);
  }

  /** Stops measuring: the body is complete or was refused. */
  unwatch(lease: BodyLease): void {
    this.#reading.remove(lease);
  }

  /** Refuses large bodies that arrive too slowly. Called about once a second. */
  sweep(uptime: number): void {
    const { bodyBytesPerSecondMin: least, bodyMsMax = Infinity } = this.#limits;
    this.#reading.each((lease) => {
      if (lease.slowWindows(uptime, least) > SLOW_WINDOWS_MAX && lease.bytes > SMALL_BODY_BYTES_MAX)
        lease.cut(tooSlow(least));
      else if (lease.watchedMs(uptime) >= bodyMsMax) lease.cut(tooLate(bodyMsMax));
    });
  }

  #fits({ key, client }: BodyLease, bytes: number): boolean {
    const free = this.#limits.bodiesInMemoryBytesMax - this.#bytes - bytes;
    if (key.bodyBytes + bytes > KEY_TIMES_FREE * free) return false;
    return client === null || client.bodyBytes + bytes <= ADDRESS_TIMES_FREE * free;
  }

  #add(lease: BodyLease, bytes: number): void {
    this.#bytes += bytes;
    lease.bytes += bytes;
    lease.key.bodyBytes += bytes;
    if (lease.client) lease.client.bodyBytes += bytes;
  }

  /** Finds the slowest body of the same key, or of keys that hold more. Bodies of keys that hold less are safe. */
  #slowestBelow({ key, rate }: BodyLease, bytes: number): BodyLease | null {
    const mine = key.bodyBytes + bytes;
    const found: { rate: number; lease: BodyLease | null } = { rate, lease: null };
    this.#reading.each((lease) => {
      if (lease.rate >= found.rate || lease.bytes <= SMALL_BODY_BYTES_MAX) return;
      if (lease.key === key || lease.key.bodyBytes > mine) Object.assign(found, { rate: lease.rate, lease });
    });
    return found.lease;
  }

  #refusal({ key }: BodyLease, bytes: number): TollbookError {
    if (key.bodyBytes < this.#bytes - key.bodyBytes) return budgetFull();
    return new TollbookError(
      'in_flight',
      `The request bodies of this ${this.#limits.holderName ?? 'wrapped key'} hold ${Math.ceil((key.bodyBytes + bytes) / KIB)} KiB of memory, as much as one may have now; send fewer large ones at a time.`,
      undefined,
      { retryAfter: 1 },
    );
  }
}

/** One body's share of the budget. It never holds the body itself. */
export class BodyLease implements SlotItem {
  place = NO_PLACE;
  readonly key: BodyHolder;
  readonly client: BodyHolder | null;
  bytes = 0;
  /** Bytes per second in the last full window. */
  rate = Number.POSITIVE_INFINITY;
  readonly #budget: BodyBudget;
  #cut: ((error: TollbookError) => void) | null = null;
  #windowAt: number | null = null;
  #windowBytes = 0;
  #slowWindows = 0;
  #watchedAt: number | null = null;

  constructor(budget: BodyBudget, key: BodyHolder, client: BodyHolder | null) {
    this.#budget = budget;
    this.key = key;
    this.client = client;
  }

  get isWatched(): boolean {
    return this.#cut !== null;
  }

  take(bytes: number): TollbookError | null {
    return this.#budget.take(this, bytes);
  }

  release(bytes: number): void {
    this.#budget.release(this, bytes);
  }

  /** Returns all bytes. A second call does nothing. */
  end(): void {
    if (this.bytes > 0) this.release(this.bytes);
    this.stopWatching();
  }

  /** Lets the budget refuse the body for its rate. It calls `cut` once, with the reason, and `cut` ends the lease. */
  watch(cut: (error: TollbookError) => void): void {
    this.#cut = cut;
    this.#budget.watch(this);
  }

  stopWatching(): void {
    if (!this.#cut) return;
    this.#cut = null;
    this.#budget.unwatch(this);
  }

  cut(error: TollbookError): void {
    this.#cut?.(error);
  }

  /** Returns how long the body has been watched. */
  watchedMs(uptime: number): number {
    return uptime - (this.#watchedAt ??= uptime);
  }

  /** Returns the number of consecutive windows so far with less than `least` bytes per second. */
  slowWindows(uptime: number, least: number): number {
    const startedAt = (this.#windowAt ??= this.#begin(uptime));
    const elapsedMs = uptime - startedAt;
    if (elapsedMs < RATE_WINDOW_MS) return this.#slowWindows;
    this.rate = ((this.bytes - this.#windowBytes) * 1_000) / elapsedMs;
    this.#slowWindows = this.rate < least ? this.#slowWindows + 1 : 0;
    this.#windowAt = this.#begin(uptime);
    return this.#slowWindows;
  }

  #begin(uptime: number): number {
    this.#windowBytes = this.bytes;
    return uptime;
  }
}

function budgetFull(): TollbookError {
  return new TollbookError(
    'unavailable',
    'The gateway is holding as many request bodies as it has memory for; try again in a moment.',
  );
}

function evicted(): TollbookError {
  return new TollbookError(
    'unavailable',
    'The memory for request bodies is full, and this body arrived slowest, so it was refused; try again in a moment.',
  );
}

function tooSlow(least: number): TollbookError {
  return new TollbookError(
    'too_slow',
    `The request body came more slowly than ${least / KIB} KiB a second for ${((SLOW_WINDOWS_MAX + 1) * RATE_WINDOW_MS) / 1_000} s; send it again over a faster connection, or compressed.`,
    undefined,
    { headers: ['connection', 'close'] },
  );
}

function tooLate(bodyMsMax: number): TollbookError {
  return new TollbookError(
    'too_slow',
    `The request body did not arrive within ${bodyMsMax / 1_000} s; send it again over a faster connection.`,
    undefined,
    { headers: ['connection', 'close'] },
  );
}
