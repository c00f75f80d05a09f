import type { Limit } from '../domain/limits/limit.ts';
import type { PriceContract } from '../domain/pricing/contract.ts';
import type { WorkspaceCard } from '../domain/pricing/price.ts';
import type { StoredAlert } from '../storage/records/alerts.ts';

/** Notifies the gateway thread of changed records, after the change is committed. */
export interface GatewayNotices {
  keyChanged(keyId: string): Promise<void> | void;
  /**
   * Lets the gateway admit calls of a wrapped key by another secret, until then. Returns once it does; false = no
   * gateway runs, or it did not confirm in time.
   */
  keyLent(keyId: string, secretHash: string, until: number): Promise<boolean>;
  tokenChanged(tokenHash: string, live: boolean): void;
  /**
   * Announces changed prices. `set`: a new custom price, whose calls are priced again. Calls of a removed one keep it.
   */
  pricesChanged(set?: WorkspaceCard): Promise<void> | void;
  /** Announces contracts that were set, replaced or removed. Their calls are priced again. */
  contractsChanged(contracts: readonly PriceContract[]): Promise<void> | void;
  providersChanged(): Promise<void> | void;
  limitChanged(limit: Limit): void;
  /** Waits until the gateway has applied all notices; false = it did not confirm in time and applies them later. */
  whenApplied(): Promise<boolean>;
  limitRemoved(limit: Pick<Limit, 'id' | 'workspaceId'>): void;
  /** An alert was read. */
  alertRead(alert: StoredAlert): void;
  /** Announces a new time zone of a workspace; windows of its limits follow it. */
  zoneChanged(workspaceId: string): Promise<void> | void;
}
