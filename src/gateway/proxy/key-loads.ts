import { LIMITS } from '../../config.ts';
import type { BodyHolder } from './body-budget.ts';
import { UnsentRequests } from './request-pace.ts';
import type { ConnectionHolder } from './upstream.ts';

/** A wrapped key's use of what all keys share. */
export interface KeyLoad extends BodyHolder, ConnectionHolder {
  /** Its open calls and open free requests. */
  calls: number;
  /** Its requests without a complete response. */
  requests: number;
  readonly unsent: UnsentRequests;
  readonly failedCalls: FailedCalls;
}

/**
 * Counts a key's failed calls. Each is an entry of the ledger, but no limit ends them, since they cost nothing. The
 * count falls by one with every answered call, and with time.
 */
export class FailedCalls {
  #count = 0;
  /** Time up to which the count has fallen. */
  #at = 0;

  add(uptime: number): void {
    this.#fall(uptime);
    this.#count += 1;
  }

  takeOff(): void {
    this.#count = Math.max(0, this.#count - 1);
  }

  /** Returns ms until the key's next call may leave; 0 = now. */
  waitMs(uptime: number): number {
    if (this.#count < LIMITS.failedCallsPerKeyMax) return 0;
    this.#fall(uptime);
    const tooMany = this.#count - LIMITS.failedCallsPerKeyMax;
    return tooMany < 0 ? 0 : (tooMany + 1) * FALL_MS - (uptime - this.#at);
  }

  #fall(uptime: number): void {
    const fallen = Math.floor((uptime - this.#at) / FALL_MS);
    this.#count = Math.max(0, this.#count - fallen);
    this.#at += fallen * FALL_MS;
  }
}

/** Time in which the count of failed calls falls by one. */
const FALL_MS = 60_000 / LIMITS.failedCallsPerMinute;

/** Loads of wrapped keys, each created at the first use of its key; there are never more loads than keys. */
export class KeyLoads {
  readonly #loads = new Map<string, KeyLoad>();

  get(keyId: string): KeyLoad {
    let load = this.#loads.get(keyId);
    if (!load) this.#loads.set(keyId, (load = newLoad(keyId)));
    return load;
  }
}

function newLoad(name: string): KeyLoad {
  const [unsent, failedCalls] = [new UnsentRequests(), new FailedCalls()];
  return { name, calls: 0, requests: 0, unsent, failedCalls, bodyBytes: 0, connections: 0 };
}
