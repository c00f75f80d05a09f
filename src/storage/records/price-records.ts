import type { RateCard, WorkspaceCard } from '../../domain/pricing/price.ts';
import type { Actor } from './actor.ts';

export interface CustomPrice {
  readonly id: string;
  readonly workspaceId: string;
  readonly card: RateCard;
  readonly createdAt: number;
}

export interface PriceRecords {
  /** Replaces the workspace's card of the same provider, model and `from`. The card is kept in `priceCards` too. */
  set(workspaceId: string, card: RateCard, actor: Actor): Promise<CustomPrice>;
  list(workspaceId: string): Promise<CustomPrice[]>;
  remove(workspaceId: string, id: string, actor: Actor): Promise<void>;
  /** Of all workspaces, for the price book. */
  all(): Promise<WorkspaceCard[]>;
}

/** Every rate card that ever gave an entry its price, by version, so that the price stays explainable. */
export interface PriceCardRecords {
  /** Cards that are there already are left alone. */
  keep(cards: readonly RateCard[]): Promise<void>;
  get(version: string): Promise<RateCard | null>;
}
