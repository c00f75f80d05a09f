import type { GatewayNotices } from '../api/gateway-notices.ts';
import {
  COMPUTE_UNPROXIED_USAGE,
  markUnproxiedUsage,
  REPRICE_UNPROXIED_USAGE,
} from '../jobs/compute-unproxied-usage.ts';
import type { ChangedContracts, ChangedPrices } from '../jobs/reprice.ts';
import type { Log } from '../lib/log.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';
import type { Records } from '../storage/records/records.ts';
import type { LedgerStore } from '../storage/store.ts';
import { OwnLimitChanges } from './limits-in-force.ts';
import type { GatewayUpdates } from './send-to-gateway.ts';

interface GatewayNoticeParts {
  readonly records: Pick<Records, 'adminKeys'>;
  readonly store: Pick<LedgerStore, 'sessions' | 'unproxiedUsage'>;
  readonly updates: GatewayUpdates;
  /** A gateway runs with this ledger. */
  readonly hasGateway: boolean;
  /** Applies the changes of all nodes, in order; null = no other node makes any. */
  readonly applyChanges: (() => Promise<void>) | null;
  /** Publishes an alert that was read. */
  readonly publishRead: (alert: StoredAlert) => void;
  readonly log: Log;
  /** Custom prices whose calls are priced again. */
  readonly changedPrices: ChangedPrices;
  /** Contracts whose calls are priced again. */
  readonly changedContracts: ChangedContracts;
  /** Runs a job soon. */
  readonly poke: (job: string) => void;
  readonly waitUntilApplied: () => Promise<boolean>;
  /** Waits until other nodes work with changed limits; false = not in time. */
  readonly waitUntilInForce: () => Promise<boolean>;
}

/** Runs the jobs that price unpriced usage. */
export function pokePricing(poke: (job: string) => void): void {
  for (const job of ['unpriced', 'sessions', REPRICE_UNPROXIED_USAGE]) poke(job);
}

async function lendKey(
  { hasGateway, updates, waitUntilApplied }: GatewayNoticeParts,
  ...lent: Parameters<GatewayNotices['keyLent']>
): Promise<boolean> {
  if (!hasGateway) return false;
  await updates.lentKey(...lent);
  return await waitUntilApplied();
}

/**
 * Creates the notices of changed records: messages to the gateway, live events, and the jobs that follow a change. Where other
 * nodes change records too, their changes and those of this node arrive in one order.
 */
export function createGatewayNotices(parts: GatewayNoticeParts): GatewayNotices {
  const {
    records,
    store,
    updates,
    applyChanges,
    publishRead,
    log,
    changedPrices,
    changedContracts,
    poke,
    waitUntilApplied,
    waitUntilInForce,
  } = parts;
  /** Applies the changes of all nodes; false = not yet, and they are applied later. */
  const areApplied = async (): Promise<boolean> => {
    try {
      await applyChanges?.();
      return true;
    } catch (error) {
      log.error({ err: error }, 'a change is stored, and not in force on this node yet; it is tried again');
      return false;
    }
  };
  /** A change is stored already: what can't be said of other nodes must not fail the request. */
  const limitChanges = new OwnLimitChanges(waitUntilInForce, log);
  const bring = async (update: () => Promise<void>): Promise<void> => {
    await (applyChanges ? areApplied() : update());
  };
  const bringNow = (update: () => void): void => (applyChanges ? void areApplied() : update());
  return {
    keyChanged: async (id) => {
      await bring(() => updates.key(id));
      poke(COMPUTE_UNPROXIED_USAGE);
    },
    keyLent: (...lent) => lendKey(parts, ...lent),
    tokenChanged: (hash, isLive) => bringNow(() => updates.token(hash, isLive)),
    pricesChanged: async (set) => {
      await bring(() => updates.prices());
      if (set) {
        changedPrices.add(set);
        poke('own_prices');
        await store.sessions.markForComputing(set.workspaceId, 'all');
        await markUnproxiedUsage({ ...store, records }, set.workspaceId);
      }
      pokePricing(poke);
    },
    contractsChanged: async (contracts) => {
      await bring(() => updates.prices());
      for (const contract of contracts) changedContracts.add(contract);
      poke('contracts');
    },
    limitChanged(limit) {
      limitChanges.made();
      bringNow(() => updates.limit(limit));
    },
    whenApplied: async () => (await areApplied()) && (await waitUntilApplied()) && (await limitChanges.areInForce()),
    limitRemoved(limit) {
      limitChanges.made();
      bringNow(() => updates.limitRemoved(limit));
    },
    alertRead: (alert) =>
      bringNow(() => {
        publishRead(alert);
        updates.overrun(alert);
      }),
    zoneChanged: (workspaceId) => bring(() => updates.zone(workspaceId)),
    providersChanged: () => bring(() => updates.providers()),
  };
}
