import type { GatewayNotices } from '../api/gateway-notices.ts';
import type { LiveStreams } from '../api/live-streams.ts';
import type { MessageToGateway } from '../ipc/messages.ts';
import {
  COMPUTE_UNPROXIED_USAGE,
  markUnproxiedUsage,
  REPRICE_UNPROXIED_USAGE,
} from '../jobs/compute-unproxied-usage.ts';
import type { ChangedPrices } from '../jobs/reprice.ts';
import type { Log } from '../lib/log.ts';
import { readOverrun } from '../limits/alerts.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Records } from '../storage/records/records.ts';
import type { LedgerStore } from '../storage/store.ts';
import { publishAlerts } from './live-events.ts';

interface GatewayNoticeParts {
  readonly records: Records;
  readonly prices: Pick<PriceBook, 'setUserCards'>;
  readonly store: LedgerStore;
  readonly live: LiveStreams;
  readonly log: Log;
  /** Custom prices whose calls are priced again. */
  readonly changedPrices: ChangedPrices;
  readonly send: (message: MessageToGateway) => void;
  /** Runs a job soon. */
  readonly poke: (job: string) => void;
  readonly reloadProviders: () => Promise<void>;
  readonly waitUntilApplied: () => Promise<boolean>;
}

/** Runs the jobs that price unpriced usage. */
export function pokePricing(poke: (job: string) => void): void {
  for (const job of ['unpriced', 'sessions', REPRICE_UNPROXIED_USAGE]) poke(job);
}

/** Creates the notices of changed records: messages to the gateway, live events, and the jobs that follow a change. */
export function createGatewayNotices(parts: GatewayNoticeParts): GatewayNotices {
  const { records, prices, store, live, changedPrices, send, poke, reloadProviders, waitUntilApplied } = parts;
  return {
    keyChanged: async (id) => {
      const key = await records.keys.findForGateway(id);
      if (key) send({ type: 'key-changed', key });
      poke(COMPUTE_UNPROXIED_USAGE);
    },
    tokenChanged: (hash, isLive) => send({ type: 'token-changed', hash, live: isLive }),
    pricesChanged: async (set) => {
      const userCards = await records.prices.all();
      prices.setUserCards(userCards);
      send({ type: 'custom-prices-changed', userCards });
      if (set) {
        changedPrices.add(set);
        poke('own_prices');
        await store.sessions.markForComputing(set.workspaceId, 'all');
        await markUnproxiedUsage({ ...store, records }, set.workspaceId);
      }
      pokePricing(poke);
    },
    limitChanged: (limit) => {
      send({ type: 'limit-changed', limit });
      live.send(limit.workspaceId, 'limit', { id: limit.id });
    },
    whenApplied: () => waitUntilApplied(),
    limitRemoved: ({ id, workspaceId }) => {
      send({ type: 'limit-removed', id });
      live.send(workspaceId, 'limit', { id });
    },
    alertRead: (alert) => {
      publishAlerts([alert], 'read', parts);
      const model = readOverrun(alert);
      if (model) send({ type: 'overrun-acknowledged', model });
    },
    zoneChanged: async (workspaceId) => {
      for (const limit of await records.limits.list(workspaceId)) send({ type: 'limit-changed', limit });
    },
    providersChanged: async () => {
      await reloadProviders();
      send({ type: 'providers-changed', customProviders: await records.providers.list() });
    },
  };
}
