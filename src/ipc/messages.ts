import type { Alert } from '../domain/alerts/alert.ts';
import type { Config } from '../config.ts';
import type { DemoSecrets } from '../demo/seed.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { CustomProvider } from '../domain/identity/custom-provider.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import type { WorkspaceCard } from '../domain/pricing/price.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { CounterMove, CounterState, CounterStatus, Limit } from '../domain/limits/limit.ts';
import type { RefusedCall } from '../domain/usage/call.ts';
import type { ModelOverrun, OverrunSubject } from '../limits/overruns.ts';

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

/** What the gate's ledger needs before the gate opens; part of the `Snapshot`. */
export interface LimitSnapshot {
  readonly limits: readonly Limit[];
  /** Counters of windows that may still be open, with everything that the journal had. */
  readonly counters: readonly CounterState[];
  /** Newest instant that a call in the store began at (epoch ms); 0 = there is none. */
  readonly newestCallAt: number;
  /** Models that were charged for more than their bound, as long as nobody has acknowledged it. */
  readonly overruns: readonly ModelOverrun[];
}

/** Book thread → gate thread. */
export type LimitMessageToGateway =
  /** A limit is new or has changed. */
  | { readonly type: 'limit'; readonly limit: Limit }
  | { readonly type: 'limit-removed'; readonly id: string }
  /** Answer to `limit-installed`: what its counters held up to that end. */
  | { readonly type: 'limit-past'; readonly counter: number; readonly counters: readonly CounterState[] }
  | { readonly type: 'counters-moved'; readonly moves: readonly CounterMove[] }
  /** Somebody has read that calls to a model came to more than their bound. */
  | { readonly type: 'overrun-acknowledged'; readonly model: OverrunSubject }
  /** Answered by `heard` with the same question, once everything told before is in force. */
  | { readonly type: 'ask-heard'; readonly question: number }
  /** Answered by `limits` with the same question. */
  | { readonly type: 'ask-limits'; readonly question: number; readonly limits: readonly string[] }
  /** Answered by `refusals` with the same question. */
  | { readonly type: 'ask-refusals'; readonly question: number; readonly limit: string };

/** Gate thread → book thread. */
export type LimitMessageToLedger =
  /** From here on the ledger counts this counter: the calls up to `endSeq`, and only they, don't name it. */
  | {
      readonly type: 'limit-installed';
      readonly counter: number;
      readonly endSeq: number;
      /** The window that is open now, half-open. */
      readonly start: number;
      readonly end: number;
    }
  | { readonly type: 'heard'; readonly question: number }
  /** How the counters of the limits asked for stand. */
  | { readonly type: 'limits'; readonly question: number; readonly standings: readonly CounterStatus[] }
  /** Whom the limit asked for refused lately, the newest first. */
  | { readonly type: 'refusals'; readonly question: number; readonly calls: readonly RefusedCall[] };
