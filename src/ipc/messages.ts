import type { Alert } from '../domain/alerts/alert.ts';
import type { Config } from '../config.ts';
import type { DemoSecrets } from '../demo/seed.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { CustomProvider } from '../domain/identity/custom-provider.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import type { WorkspaceCard } from '../domain/pricing/price.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { LimitSnapshot, LimitMessageToLedger, LimitMessageToGateway } from './limit-messages.ts';

/** All that the gate needs from the records before it opens. */
export interface LedgerSnapshot {
  readonly keys: readonly GatewayKey[];
  readonly tokenHashes: readonly string[];
  readonly userCards: readonly WorkspaceCard[];
  readonly refreshedPrices: readonly PriceFile[];
  readonly customProviders: readonly CustomProvider[];
  readonly limits: LimitSnapshot;
}

/** Book thread → gate thread. */
export type MessageToGateway =
  | LimitMessageToGateway
  | {
      readonly type: 'ready';
      readonly snapshot: LedgerSnapshot;
      readonly demo: DemoSecrets | null;
      /** What makes the first owner; null = there is one. */
      readonly claimCode: string | null;
    }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'key'; readonly key: GatewayKey }
  | { readonly type: 'token'; readonly hash: string; readonly live: boolean }
  | { readonly type: 'prices'; readonly userCards: readonly WorkspaceCard[] }
  | { readonly type: 'refreshed-prices'; readonly files: readonly PriceFile[] }
  | { readonly type: 'providers'; readonly customProviders: readonly CustomProvider[] }
  | { readonly type: 'shipped'; readonly mark: number }
  | { readonly type: 'trouble'; readonly sentence: string | null }
  | { readonly type: 'missing'; readonly calls: number }
  | { readonly type: 'connections'; readonly connections: readonly ConnectionState[] }
  /** Said every few seconds, so that a thread that hangs is missed. */
  | { readonly type: 'alive'; readonly deliveriesWaiting: number }
  | { readonly type: 'closed' };

/** An alert, or its end. */
export type AlertMessage =
  | { readonly type: 'alert'; readonly alert: Alert }
  | { readonly type: 'alert-over'; readonly workspaceId: string; readonly episode: string };

export type MessageToLedger =
  | LimitMessageToLedger
  | { readonly type: 'committed' }
  | AlertMessage
  | { readonly type: 'close' };

/** What the book thread is started with. */
export interface LedgerThreadData {
  readonly config: Config;
  readonly demo: boolean;
  /** There is a journal to ship from. */
  readonly journalOpen: boolean;
}
