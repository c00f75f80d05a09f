import type { PriceChangeShape, PriceUpdateShape } from '../contract/prices.ts';
import { isoOrNull } from '../contract/fields.ts';
import { toIso } from '../domain/time/period.ts';
import type { PriceChange } from '../prices/compare-lists.ts';
import type { Actor } from '../storage/records/audit.ts';
import { endpoint } from './http/endpoint.ts';
import type { GatewayNotices } from './gateway-notices.ts';

/** A fetched price list that waits, and what it changes. */
export interface PriceUpdate {
  /** Changes with any figure of the list. */
  readonly id: string;
  readonly source: string;
  /** Epoch ms. */
  readonly fetchedAt: number;
  readonly changes: readonly PriceChange[];
}

export interface AppliedPrices {
  readonly source: string;
  readonly changes: number;
}

/** Fetched price lists; provided by the ledger thread. */
export interface PriceUpdates {
  /** Fetches a list from the configured address. It waits to be applied. */
  fetch(): Promise<PriceUpdate>;
  /** Returns the list that waits; null = none. */
  waiting(): Promise<PriceUpdate | null>;
  /** Applies the list that waits. Throws `conflict` if it is another one, or if large changes are not accepted. */
  apply(choice: PriceChoice, actor: Actor): Promise<AppliedPrices>;
}

/** The list that a person has seen, and whether its large changes are right. */
export interface PriceChoice {
  readonly id: string;
  readonly acceptsLarge: boolean;
}

export interface PriceUpdateServices {
  readonly priceUpdates: PriceUpdates;
  readonly gateway: Pick<GatewayNotices, 'pricesChanged'>;
}

const CHANGES_SHOWN_MAX = 1_000;

function updateView({ id, source, fetchedAt, changes }: PriceUpdate): PriceUpdateShape {
  return {
    id,
    source,
    fetchedAt: toIso(fetchedAt),
    total: changes.length,
    large: changes.filter(({ isLarge }) => isLarge).length,
    changes: [...changes.filter(({ isLarge }) => isLarge), ...changes.filter(({ isLarge }) => !isLarge)]
      .slice(0, CHANGES_SHOWN_MAX)
      .map(changeView),
  };
}

function changeView({ from, figures, ...change }: PriceChange): PriceChangeShape {
  return { ...change, from: isoOrNull(from), figures: [...figures] };
}

export const refreshPrices = endpoint(
  'POST /api/manage/prices/refresh',
  async (_, { priceUpdates }: PriceUpdateServices) => updateView(await priceUpdates.fetch()),
);

export const getPriceUpdate = endpoint(
  'GET /api/manage/prices/update',
  async (_, { priceUpdates }: PriceUpdateServices) => {
    const waiting = await priceUpdates.waiting();
    return { update: waiting && updateView(waiting) };
  },
);

export const applyPriceUpdate = endpoint(
  'POST /api/manage/prices/update',
  async ({ body, caller }, { priceUpdates, gateway }: PriceUpdateServices) => {
    const choice = { id: body.id, acceptsLarge: body.acceptLarge ?? false };
    const applied = await priceUpdates.apply(choice, caller.actor);
    await gateway.pricesChanged();
    return applied;
  },
);
