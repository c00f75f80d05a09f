import { setTimeout } from 'node:timers/promises';
import { systemUptime } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { LeaseStore } from '../storage/lease-store.ts';

/** Time that other nodes have to work with a change before it is answered. They hear of it in milliseconds. */
const IN_FORCE_MS_MAX = 3_000;
const POLL_MS = 15;

/**
 * Waits until every node that may admit calls works with the limits as they are now. Returns false if one does not in
 * time: it is cut off, or has died and its lease has not ended.
 */
export async function waitUntilInForce(leases: Pick<LeaseStore, 'changes' | 'isInForce'> | null): Promise<boolean> {
  if (!leases) return true;
  const deadline = systemUptime() + IN_FORCE_MS_MAX;
  const changes = await leases.changes();
  while (!(await leases.isInForce(changes))) {
    if (systemUptime() > deadline) return false;
    await setTimeout(POLL_MS);
  }
  return true;
}

/** Waits only after changes of limits that this process made: others would wait for a node that died, too. */
export class OwnLimitChanges {
  readonly #waitUntilInForce: () => Promise<boolean>;
  readonly #log: Log;
  #made = 0;
  #inForce = 0;

  constructor(wait: () => Promise<boolean>, log: Log) {
    this.#waitUntilInForce = wait;
    this.#log = log;
  }

  /** Notes a committed change of a limit. */
  made(): void {
    this.#made += 1;
  }

  /** Resolves once the changes so far are in force; false = not in time. */
  async areInForce(): Promise<boolean> {
    const made = this.#made;
    if (made <= this.#inForce) return true;
    if (!(await this.#areWorkingWithIt())) return false;
    this.#inForce = Math.max(this.#inForce, made);
    return true;
  }

  async #areWorkingWithIt(): Promise<boolean> {
    try {
      return await this.#waitUntilInForce();
    } catch (error) {
      this.#log.error({ err: error }, 'could not read whether other nodes work with a change of limits');
      return false;
    }
  }
}
