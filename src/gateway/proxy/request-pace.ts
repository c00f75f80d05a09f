import { LIMITS } from '../../config.ts';
import { type Scheduler, systemScheduler, type Uptime } from '../../lib/clock.ts';
import type { ClientResponse } from './client-response.ts';

/** Time in which the count of begun requests falls by one. */
const FALL_MS = 1_000 / LIMITS.unsentRequestsPerSecond;
/** Interval at which waiting requests are tried. */
const RETRY_MS = 1;

/** Requests of one wrapped key or client address that have begun and were not sent to a provider: refused, free or waiting ones. */
export class UnsentRequests {
  /** Requests that wait for their turn, in order of arrival. */
  readonly waiting = new Map<object, () => void>();
  #count = 0;
  /** Time up to which the count has fallen. */
  #at = 0;

  /** Counts a request that begins. Returns false if it must wait. */
  take(uptime: number): boolean {
    if (this.#count >= LIMITS.unsentRequestsMax) this.#fall(uptime);
    if (this.#count >= LIMITS.unsentRequestsMax) return false;
    this.#count += 1;
    return true;
  }

  takeOff(): void {
    this.#count = Math.max(0, this.#count - 1);
  }

  #fall(uptime: number): void {
    const fallen = Math.floor((uptime - this.#at) / FALL_MS);
    this.#count = Math.max(0, this.#count - fallen);
    this.#at += fallen * FALL_MS;
  }
}

/** A wrapped key; a client address for requests without one. */
interface PacedHolder {
  readonly unsent: UnsentRequests;
}

/**
 * Lets requests begin: of one key only a few at a time, so that a key that sends very many, all refused, takes a small
 * part of the gateway's time. A call leaves the count when it is sent, so a key's calls are not held back by each other.
 */
export class RequestPace {
  readonly #uptime: Uptime;
  readonly #scheduler: Scheduler;
  readonly #waiting = new Set<PacedHolder>();
  #isScheduled = false;

  constructor(uptime: Uptime, scheduler: Scheduler = systemScheduler) {
    this.#uptime = uptime;
    this.#scheduler = scheduler;
  }

  /** Begins a request now or in its turn, or never if its client disconnects first. */
  begin(holder: PacedHolder, res: Pick<ClientResponse, 'once'>, act: () => void): void {
    const { unsent } = holder;
    if (unsent.waiting.size === 0 && unsent.take(this.#uptime())) return act();
    unsent.waiting.set(res, act);
    res.once('close', () => unsent.waiting.delete(res));
    this.#waiting.add(holder);
    this.#serveLater();
  }

  /** Notes that a call was sent. The next request of its key may begin. */
  sent(holder: PacedHolder): void {
    holder.unsent.takeOff();
    if (holder.unsent.waiting.size > 0) this.#scheduler.soon(() => this.#serveHolder(holder));
  }

  #serveLater(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#scheduler.later(() => {
      this.#isScheduled = false;
      for (const holder of this.#waiting) this.#serveHolder(holder);
      if (this.#waiting.size > 0) this.#serveLater();
    }, RETRY_MS);
  }

  /** Begins one request. On a busy machine a turn takes long, and several in each would delay all other calls. */
  #serveHolder(holder: PacedHolder): void {
    const { waiting } = holder.unsent;
    const [next] = waiting;
    if (next && holder.unsent.take(this.#uptime())) {
      const [res, act] = next;
      waiting.delete(res);
      act();
    }
    if (waiting.size === 0) this.#waiting.delete(holder);
  }
}
