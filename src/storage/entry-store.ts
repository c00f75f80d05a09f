import { TollbookError } from '../domain/errors.ts';
import type { CallAmounts, Entry, PricedCosts, UncertainReason } from '../domain/usage/call.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { CounterMove } from '../domain/limits/limit.ts';
import type { CostProvenance } from '../domain/pricing/provenance.ts';
import type { Usage } from '../domain/usage/usage.ts';
import type { Actor } from './records/audit.ts';

/** A correction of an entry's cost: the entry itself is never edited. */
export interface Adjustment {
  readonly adjustmentId: string;
  readonly callId: string;
  readonly workspaceId: string;
  readonly recordedAt: number;
  /** The entry's effective cost before and after, nano-USD; null = unknown. */
  readonly costBefore: number | null;
  readonly costAfter: number | null;
  /** Costs by prices after it; absent = they equal the cost. */
  readonly priced?: PricedCosts;
  readonly provenance: CostProvenance;
  readonly reason: string;
  /**
   * The real usage of an uncertain call, which resolves it; `costAfter` is then known. Absent = a correction of the
   * price.
   */
  readonly resolved?: TokenAmounts;
  /** Known part of an uncertain call that stays uncertain; `costAfter` is the known part of its cost. Absent = nothing new. */
  readonly narrowed?: NarrowedCall;
}

/** Known part of an uncertain call. */
export interface NarrowedCall {
  readonly usage: Usage;
  /** Amounts that limits count for it: the known part, and the most that the rest can be. */
  readonly counted: CallAmounts;
  readonly uncertainReason: UncertainReason;
}

export interface TokenAmounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The same tokens by class, if known. Absent = all are uncached input and output. */
  readonly usage?: Usage;
}

/** Ended and refused calls of one journal; `mark` is the `end_seq` of the last. */
export interface EntryBatch {
  readonly journalId: string;
  readonly mark: number;
  /** Mark of the store when the batch was read. A store with a lower one has lost calls: it takes none. Absent = any. */
  readonly after?: number;
  readonly entries: readonly Entry[];
  /** Absent = none. */
  readonly refused?: readonly RefusedCall[];
}

/** Error for a batch that the store does not take, because it no longer has the calls before it. */
export function lostCalls(): TollbookError {
  return new TollbookError(
    'unavailable',
    'The ledger has lost calls that it had recorded, as after a failover to a standby. They are recorded again from the journal.',
  );
}

/** A roll-up reached its maximum of different values: further ones are counted under `(other)`. */
export interface RollupOverflow {
  readonly workspaceId: string;
  /** `model`: models of a day; `tag_value`: values of the tag `tagKey` on a day; `tag_key`: tag keys of a workspace. */
  readonly of: 'model' | 'tag_value' | 'tag_key';
  readonly tagKey: string | null;
  /** Start of the UTC day; null = not per day. */
  readonly day: number | null;
}

export interface AppendResult {
  readonly inserted: number;
  /** Roll-ups in which values of this batch were counted under `(other)`, each once. */
  readonly overflowed: readonly RollupOverflow[];
  /** Differences between counters and their entries: uncertain entries of a time that was already released. */
  readonly moves: readonly CounterMove[];
  /** Number of observed calls that may be calls of this batch, and are to be joined again. */
  readonly observed: number;
}

export interface AdjustResult {
  readonly inserted: number;
  /** Moves of the counters of limits. */
  readonly moves: readonly CounterMove[];
}

export interface EntryStore {
  /**
   * Appends entries and refused calls, and moves the journal's mark, in one transaction. Entries with a known `callId` are skipped and
   * change no roll-up, so that a repeated batch changes nothing.
   */
  append(batch: EntryBatch): Promise<AppendResult>;
  /** Returns the last `end_seq` of this journal that is durably stored; 0 = none. */
  mark(journalId: string): Promise<number>;
  /**
   * Corrects costs; known adjustment ids are skipped. Changes the roll-ups of the entry's own hour. Throws
   * `not_found` for an unknown entry, `conflict` if `costBefore` is not the effective cost, and `unprocessable` if a
   * resolved call is not uncertain; then no adjustment of the list is stored. With `by`, each is also written into
   * the audit log in the same transaction.
   */
  adjust(adjustments: readonly Adjustment[], by?: Actor): Promise<AdjustResult>;
  /**
   * Deletes the oldest entries with their adjustments, at most `limit`, that began before the whole UTC hour of
   * `before`; roll-ups stay. Returns how many. From then on sums count those hours as a whole, and questions that no
   * roll-up answers use the remaining entries.
   */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}
