import type { ListedNode } from '../storage/node-amounts.ts';
import type { MessagePort } from 'node:worker_threads';
import type { NodeCounts } from '../storage/records/nodes.ts';
import type { Alert } from '../domain/alerts/alert.ts';
import type { Config } from '../config.ts';
import type { DemoSecrets } from '../demo/seed.ts';
import type { ConnectionState } from '../domain/reconciliation/coverage.ts';
import type { CustomProvider } from '../domain/identity/custom-provider.ts';
import type { GatewayKey } from '../domain/identity/wrapped-key.ts';
import type { PriceContract } from '../domain/pricing/contract.ts';
import type { WorkspaceCard } from '../domain/pricing/price.ts';
import type { PriceFile } from '../prices/price-rows.ts';
import type { ExportCounts } from '../domain/telemetry/export-counts.ts';
import type {
  CounterMove,
  CounterPlace,
  CounterState,
  CounterStatus,
  HeldAmount,
  Limit,
} from '../domain/limits/limit.ts';
import type { AgentParents } from '../domain/usage/call-context.ts';
import type { RefusalEpisode } from '../limits/refusal-episodes.ts';
import type { AgentQuestion } from '../limits/agent-tree.ts';
import type { ModelOverrun, OverrunSubject } from '../limits/overruns.ts';
import type { StatedRatio } from '../limits/stated-ratios.ts';
import type { LeaseMessageToGateway, LeaseMessageToLedger, LeaseStart } from './lease-messages.ts';

/** Records that the gateway needs before it opens. */
export interface LedgerSnapshot {
  readonly keys: readonly GatewayKey[];
  readonly tokenHashes: readonly string[];
  readonly userCards: readonly WorkspaceCard[];
  readonly contracts: readonly PriceContract[];
  readonly refreshedPrices: readonly PriceFile[];
  readonly customProviders: readonly CustomProvider[];
  readonly limits: LimitSnapshot;
  /** null = no other node shares the limits. */
  readonly lease: LeaseStart | null;
}

/** Messages from the ledger thread to the gateway. */
export type MessageToGateway =
  | LimitMessageToGateway
  | LeaseMessageToGateway
  | {
      readonly type: 'ready';
      readonly snapshot: LedgerSnapshot;
      readonly demo: DemoSecrets | null;
      /** Code that creates the first owner; null = there is an owner. */
      readonly claimCode: string | null;
    }
  /** The ledger is open for workers. */
  | { readonly type: 'open-for-workers'; readonly claimCode: string | null; readonly hasKeys: boolean }
  | { readonly type: 'start-failed'; readonly message: string }
  | { readonly type: 'key-changed'; readonly key: GatewayKey }
  /** All keys and tokens: others are gone. */
  | { readonly type: 'keys-reloaded'; readonly keys: readonly GatewayKey[]; readonly tokenHashes: readonly string[] }
  | { readonly type: 'token-changed'; readonly hash: string; readonly live: boolean }
  | {
      readonly type: 'custom-prices-changed';
      readonly userCards: readonly WorkspaceCard[];
      readonly contracts: readonly PriceContract[];
    }
  | { readonly type: 'price-lists-refreshed'; readonly files: readonly PriceFile[] }
  | { readonly type: 'providers-changed'; readonly customProviders: readonly CustomProvider[] }
  | { readonly type: 'calls-shipped'; readonly mark: number }
  | { readonly type: 'problem-changed'; readonly sentence: string | null }
  | { readonly type: 'calls-missing'; readonly calls: number }
  | { readonly type: 'connections-changed'; readonly connections: readonly ConnectionState[] }
  /** Sent every few seconds, so that a hanging thread is noticed. */
  | {
      readonly type: 'heartbeat';
      readonly deliveriesWaiting: number;
      readonly nodes: NodeCounts;
      /** null = calls are not exported. */
      readonly exported: ExportCounts | null;
      /** The nodes on a shared database. */
      readonly listed: readonly ListedNode[];
    }
  | { readonly type: 'closed' };

/** An alert started or ended. */
export type AlertMessage =
  | { readonly type: 'alert-raised'; readonly alert: Alert }
  | { readonly type: 'alert-ended'; readonly workspaceId: string; readonly episode: string };

/** Messages to the ledger thread of a service with workers. Those of each worker come through its port. */
export type MessageToWorkersLedger =
  | {
      readonly type: 'worker-joined';
      readonly worker: number;
      readonly journalOpen: boolean;
      readonly port: MessagePort;
    }
  | { readonly type: 'close' };

export type MessageToLedger =
  | LimitMessageToLedger
  | LeaseMessageToLedger
  /** Calls are in the journal up to this end. */
  | { readonly type: 'calls-committed'; readonly endSeq: number }
  | AlertMessage
  | { readonly type: 'close' };

/** Data that the ledger thread starts with. */
export interface LedgerThreadData {
  readonly config: Config;
  readonly demo: boolean;
  /** The gateways are workers, which join later. */
  readonly hasWorkers: boolean;
  /** A journal is open to ship calls from. */
  readonly journalOpen: boolean;
}

/** Limits and counts that the limits engine needs before the gateway opens, without on-demand counters. */
export interface LimitSnapshot {
  readonly limits: readonly Limit[];
  /** Counters of windows that may still be open, with everything from the journal. */
  readonly counters: readonly CounterState[];
  /** Start of the newest call in the store (epoch ms); 0 = none. */
  readonly newestCallAt: number;
  /** Models that were charged more than their cost bound, with an unread alert. */
  readonly overruns: readonly ModelOverrun[];
  /** Models whose provider states higher costs than the prices in use give. */
  readonly statedRatios: readonly StatedRatio[];
  /** Limits that were alerted as refusing calls or used up: lately, or still so. */
  readonly refusals: readonly RefusalEpisode[];
}

/** Messages from the ledger thread to the gateway. */
export type LimitMessageToGateway =
  /** A limit was created or has changed. */
  | { readonly type: 'limit-changed'; readonly limit: Limit }
  | { readonly type: 'limit-removed'; readonly id: string }
  /** Answer to `limit-installed`: usage of its counters up to that end. */
  | { readonly type: 'limit-backfilled'; readonly counter: number; readonly counters: readonly CounterState[] }
  | { readonly type: 'counters-moved'; readonly moves: readonly CounterMove[] }
  /** Answer to `ask-counters`: each requested counter, also those of 0. Earlier moves are in it, later ones are not. */
  | { readonly type: 'answer-counters'; readonly question: number; readonly counters: readonly CounterState[] }
  /** Answer to `ask-agents`: the requested agents, and agents above them. */
  | { readonly type: 'answer-agents'; readonly question: number; readonly agents: readonly AgentParents[] }
  /** Any node has alerted that a limit refuses calls, or that this is over. */
  | { readonly type: 'refusal-alerted'; readonly episode: RefusalEpisode }
  /** A model was charged more than its cost bound, by any node. */
  | { readonly type: 'overrun-found'; readonly overrun: ModelOverrun }
  /** An alert about a model's cost bound was read. */
  | { readonly type: 'overrun-acknowledged'; readonly model: OverrunSubject }
  /** Counters with the calls of all nodes, of this one up to `mark`. Earlier moves are in it, later ones are not. */
  | {
      readonly type: 'counters-totaled';
      readonly mark: number;
      readonly counters: readonly CounterState[];
      /** Held by open calls of other nodes under these counters. */
      readonly held: readonly HeldAmount[];
    }
  /** Answer to `ask-changes`: the changes of limits up to this number were sent before. */
  | { readonly type: 'answer-changes'; readonly question: number; readonly changes: number }
  /** Answered by `answer-applied` with the same question, once all earlier messages are applied. */
  | { readonly type: 'ask-applied'; readonly question: number }
  /** Answered by `answer-limits` with the same question. */
  | { readonly type: 'ask-limits'; readonly question: number; readonly limits: readonly string[] };

export type LimitMessageToLedger =
  /** The engine counts under this counter from now on. The calls up to `endSeq`, and only they, don't name it. */
  | {
      readonly type: 'limit-installed';
      readonly counter: number;
      readonly endSeq: number;
      /** The open window, half-open. */
      readonly start: number;
      readonly end: number;
      /** Values of on-demand counters in memory, which need their past; absent = the answer needs all values. */
      readonly values?: readonly string[];
    }
  /** Answered by `answer-agents` with the same question, once the calls up to `endSeq` are in the store. */
  | ({ readonly type: 'ask-agents'; readonly endSeq: number } & AgentQuestion)
  /** Answered by `answer-counters` with the same question, once the calls up to `endSeq` are in the store. */
  | {
      readonly type: 'ask-counters';
      readonly question: number;
      readonly endSeq: number;
      readonly counters: readonly CounterPlace[];
    }
  | { readonly type: 'answer-applied'; readonly question: number }
  /** Current figures of the requested limits. */
  | { readonly type: 'answer-limits'; readonly question: number; readonly standings: readonly CounterStatus[] };
