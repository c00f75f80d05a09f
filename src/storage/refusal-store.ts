import type { RefusalReason } from '../domain/limits/refusal.ts';
import type { Period } from '../domain/time/period.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';

/** Records of refused calls that one workspace keeps; retention deletes the oldest beyond. Counts stay. */
export const REFUSALS_PER_WORKSPACE_MAX = 1_000_000;

export interface RefusalFilter {
  readonly limitId?: string;
  readonly keyId?: string;
  readonly reason?: RefusalReason;
}

/** Names of the context that records of single calls have; sums have none. */
interface RefusalContextFilter {
  readonly session?: string;
  readonly agent?: string;
  readonly run?: string;
}

export interface RefusalQuery {
  readonly range: Period;
  readonly filter: RefusalFilter & RefusalContextFilter;
  /** `next` of the previous page; null = the first page. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface RefusalsPage {
  /** Newest first. */
  readonly rows: readonly RefusedCall[];
  /** Cursor of the next page; null = this is the last. */
  readonly next: string | null;
}

/** Number of refused calls of one key by one limit for one reason. */
export interface RefusalCount {
  readonly limitId: string;
  readonly keyId: string;
  readonly reason: RefusalReason;
  readonly calls: number;
}

/** Calls that limits refused. `EntryStore.append` adds them, together with the mark of the journal. */
export interface RefusalStore {
  page(workspaceId: string, query: RefusalQuery): Promise<RefusalsPage>;
  /** Returns the record of one call. A call that is part of a sum has none. */
  find(workspaceId: string, callId: string): Promise<RefusedCall | null>;
  /** Counts refused calls, most first. Whole UTC hours are counted as long as the ledger exists, parts of hours from records. */
  counts(workspaceId: string, range: Period, filter: RefusalFilter): Promise<readonly RefusalCount[]>;
  /**
   * Deletes records from before an instant, and the oldest beyond `REFUSALS_PER_WORKSPACE_MAX`, at most `limit`. Returns
   * how many. Counts of whole hours stay.
   */
  prune(workspaceId: string, before: number, limit: number): Promise<number>;
}

/** Sorts counts, most calls first, and the rest by name so that the order is always the same. */
export function sortCounts(counts: readonly RefusalCount[]): RefusalCount[] {
  const name = ({ limitId, keyId, reason }: RefusalCount): string => `${limitId} ${keyId} ${reason}`;
  return counts.toSorted((a, b) => b.calls - a.calls || (name(a) < name(b) ? -1 : 1));
}
