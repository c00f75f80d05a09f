import type { LocalSource } from '../domain/sessions/local-call.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import type { SessionRecord } from '../domain/sessions/session-record.ts';
import type { Period } from '../domain/time/period.ts';
import type { PricedAs } from './counter-store.ts';

/** Session records of one upload: those of a session and model replace all that was stored of them. */
export interface SessionUpload {
  readonly workspaceId: string;
  readonly source: LocalSource;
  /** The access token that uploads. */
  readonly tokenId: string;
  readonly records: readonly SessionRecord[];
}

export interface UploadResult {
  readonly sessions: number;
  /** Records that went. */
  readonly replaced: number;
  /** What the uploaded records count for now, beside the calls that went through the gate. */
  readonly counted: SessionTotals;
}

/** How a workspace's usage is named and priced today. */
export interface SessionPricing {
  readonly pricedAs: PricedAs;
  resolve(provider: string, model: string, at: number): RateCard | null;
}

export type PricingOf = (workspaceId: string) => SessionPricing;

/** Sums over what session records hold beyond the calls that went through the gate. */
export interface SessionTotals {
  readonly calls: number;
  /** Records that don't say how many calls they are of. */
  readonly uncountedRecords: number;
  /** Known cost, nano-USD. */
  readonly cost: bigint;
  /** Uncached + cache reads + cache writes. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  /** Calls without a price. */
  readonly unpricedCalls: number;
  /** Records with usage that has neither a price nor a number of calls. */
  readonly unpricedUses: number;
}

export interface SessionSum {
  readonly source: LocalSource;
  readonly tokenId: string;
  readonly provider: string;
  readonly model: string;
  readonly totals: SessionTotals;
}

/**
 * Usage that session files tell of. `EntryStore.append` keeps what the calls of a session used, for good, and marks
 * the session as unsettled where records of it are there, in the same transaction. Settling works out anew what the
 * records hold beyond those calls: max(0, record - calls) of the whole session, for each model (by the name it is
 * priced under) and token class.
 */
export interface SessionStore {
  /** In one transaction, with the sessions of the upload settled. Throws `unprocessable` for a model too many. */
  upload(upload: SessionUpload, pricing: SessionPricing): Promise<UploadResult>;
  /** Settles as many unsettled sessions at most; returns how many it were. */
  settle(pricingOf: PricingOf, limit: number): Promise<number>;
  /** Marks all sessions of a workspace, or those with usage that has no price, to be settled anew. */
  unsettle(workspaceId: string, which: 'all' | 'unpriced'): Promise<void>;
  /** An hour counts whole, where its start lies. */
  sums(workspaceId: string, range: Period): Promise<SessionSum[]>;
  /** Deletes what calls of sessions used before `before`, of at most `limit` rows, where no record was ever uploaded. */
  pruneUse(workspaceId: string, before: number, limit: number): Promise<number>;
}
