import type { Entry } from '../domain/usage/call.ts';
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
  /** The entry's believed cost before and after, nano-USD; null = unknown. */
  readonly costBefore: number | null;
  readonly costAfter: number | null;
  readonly provenance: CostProvenance;
  readonly reason: string;
  /**
   * Somebody says what an uncertain call really used, so that it is uncertain no more; `costAfter` is then known.
   * Absent = the correction is of a price.
   */
  readonly resolved?: TokenAmounts;
}

export interface TokenAmounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By class, where that is known: the same tokens. Absent = all are uncached input and output. */
  readonly usage?: Usage;
}

/** Ended calls of one journal; `mark` is the `end_seq` of the last. */
export interface EntryBatch {
  readonly journalId: string;
  readonly mark: number;
  readonly entries: readonly Entry[];
}

/** A roll-up has all the different values it may have: further ones stand under `(other)`. */
export interface RollupOverflow {
  readonly workspaceId: string;
  /** `model`: models of a day; `tag_value`: values of the tag `tagKey` on a day; `tag_key`: tag keys of a workspace. */
  readonly of: 'model' | 'tag_value' | 'tag_key';
  readonly tagKey: string | null;
  /** Start of the UTC day; null = for good. */
  readonly day: number | null;
}

export interface AppendResult {
  readonly inserted: number;
  /** Where values of this batch went under `(other)`, each once. */
  readonly overflowed: readonly RollupOverflow[];
  /** What counters hold less than their entries count: uncertain ones of a time that was released already. */
  readonly moves: readonly CounterMove[];
}

export interface AdjustResult {
  readonly inserted: number;
  /** How counters of limits moved. */
  readonly moves: readonly CounterMove[];
}

export interface EntryStore {
  /**
   * Appends entries and moves the journal's mark in one transaction. Entries whose `callId` is there already are
   * skipped and touch no roll-up, so that a repeated batch changes nothing.
   */
  append(batch: EntryBatch): Promise<AppendResult>;
  /** Last `end_seq` of this journal that is durably in the store; 0 = none. */
  mark(journalId: string): Promise<number>;
  /**
   * Corrects costs; an adjustment id that is there already is skipped. Roll-ups of the entry's own hour move.
   * Throws `not_found` for an entry that is not there, `conflict` when `costBefore` is not what the book believes and
   * `impossible` when what is resolved is not uncertain; then nothing of the list is kept. What somebody said by
   * themselves is written into the audit chain too, in the same transaction, where the engine holds one.
   */
  adjust(adjustments: readonly Adjustment[], by?: Actor): Promise<AdjustResult>;
  /**
   * Deletes the oldest entries (with their adjustments) that began before the whole UTC hour in which `before` lies,
   * at most `limit`; roll-ups stay. Returns how many went. From then on sums count those hours whole, each where its
   * start lies, and what no roll-up holds is told from the entries left.
   */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}
