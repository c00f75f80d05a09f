import { setTimeout } from 'node:timers/promises';
import { systemUptime } from '../lib/clock.ts';
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
