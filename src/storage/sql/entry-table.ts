import type { Period } from '../../domain/time/period.ts';
import type { ObservedCall } from '../../domain/observed/observed-call.ts';
import type { Entry } from '../../domain/usage/call.ts';
import type { UsageTotals } from '../../domain/usage/usage-totals.ts';
import type { AgentParentsQuery } from '../counter-store.ts';
import type { Adjustment, EntryBatch } from '../entry-store.ts';
import type { EntryCounts } from '../totals.ts';
import type { CallHolds, CallHoldsQuery, EntriesQuery, RecordedEntry } from '../usage-queries.ts';
import type { Dialect } from './dialect.ts';
import type { EntryRow, MeasuredEntry } from './entry-rows.ts';
import type { NameTable } from './name-table.ts';
import type { SqlSteps } from './steps.ts';
import type { SumQuery } from './sum-query.ts';

/** The parts of the ledger that steps ask about. */
export interface SqlContext {
  readonly names: NameTable;
  readonly dialect: Dialect;
  readonly entries: EntryTable;
}

/** Reads entries for one query, in parts after which other work may run. */
export interface EntrySlices extends SqlContext {
  /** Runs `read` for parts of a range. With a session, only its entries count. */
  inSlices(workspace: number, range: Period, read: (part: Period) => SqlSteps<void>, session?: string): SqlSteps<void>;
  /** Runs `read` for parts of a range, newest first, with the number of their entries, until it returns false. */
  newestFirst(
    workspace: number,
    range: Period,
    read: (part: Period, entries: number) => SqlSteps<boolean>,
  ): SqlSteps<void>;
}

/** Entry with its number: one that was stored later has a higher number. */
export interface NumberedEntry {
  readonly id: number;
  /** Name under which its model is summed: its own, or `(other)`. */
  readonly summedModel: string | null;
  readonly recorded: RecordedEntry;
}

/** Journal of a batch, with its marks before and after. */
export interface EntrySource extends Pick<EntryBatch, 'journalId' | 'mark'> {
  /** null = not read. */
  readonly markBefore: number | null;
}

/** Entry to insert, with its columns. */
export interface NewEntry extends MeasuredEntry {
  readonly row: EntryRow;
}

export interface EntryCorrection {
  readonly adjustment: Adjustment;
  /** The entry without this correction. */
  readonly corrected: NumberedEntry;
  /** Difference that the correction makes to the measures of the entry. */
  readonly moved: EntryCounts;
}

/** Position of an entry in order of start. */
export interface EntryPlace {
  readonly startedAt: number;
  readonly id: number;
}

/** Sums of one combination of values, in the order of the query's `by`. */
export interface SumGroup {
  readonly values: readonly (string | null)[];
  readonly totals: UsageTotals;
  /** Start of the first call and end of the last, if the query reads times; else null. */
  readonly times: Period | null;
}

export interface RequestedModelSum {
  readonly provider: string;
  readonly model: string;
  readonly totals: UsageTotals;
}

/** Bounds of a column; null = no row. */
export interface KeyBounds {
  readonly first: number | null;
  readonly last: number | null;
}

/** Number of uncertain entries, at most `limit`, and the end of the last. */
export interface UncertainCount {
  readonly entries: number;
  readonly last: number;
}

/**
 * The entries and their corrections. They are tables of the ledger's database, or of ClickHouse; all that is counted of
 * them is in the ledger's database. Steps run inside its transaction.
 */
export interface EntryTable {
  /** True if a batch needs the mark that its journal had before. */
  readonly needsMark: boolean;
  /** Inserts entries of a batch. Returns the number of each that is new; null = its call is known, or twice in the batch. */
  insert(context: SqlContext, batch: EntrySource, entries: readonly NewEntry[]): SqlSteps<(number | null)[]>;
  read(context: SqlContext, workspaceId: string, callId: string): SqlSteps<NumberedEntry | null>;
  /** Reads the entries that are to be corrected. Returns them by call id. */
  readCorrected(context: SqlContext, adjustments: readonly Adjustment[]): SqlSteps<Map<string, NumberedEntry>>;
  /** Returns the newest entries, at most 20, with this provider id of request or answer. */
  find(context: SqlContext, workspaceId: string, id: string): SqlSteps<RecordedEntry[]>;
  correct(context: SqlContext, correction: EntryCorrection): SqlSteps<void>;
  /** Deletes the oldest entries that began before an hour, at most `limit`. Returns how many. */
  prune(context: SqlContext, workspaceId: string, hour: number, limit: number): SqlSteps<number>;
  /** Returns the start of the newest entry, or of its UTC hour; 0 = there is none. */
  newestStart(context: SqlContext, workspaceId: string): SqlSteps<number>;
  /** Returns the highest number of an entry. */
  newest(context: SqlContext): SqlSteps<number>;

  page(
    context: SqlContext,
    workspaceId: string,
    query: EntriesQuery,
  ): SqlSteps<{ readonly rows: RecordedEntry[]; readonly next: string | null }>;
  /** Returns the next entries after a place, in order of start, at most `limit`. */
  following(
    context: SqlContext,
    workspaceId: string,
    range: Period,
    after: EntryPlace,
    limit: number,
  ): SqlSteps<NumberedEntry[]>;

  /** Passes the sums of a range to `take` in pieces: a combination of values may occur several times. */
  sum(
    reader: EntrySlices,
    workspaceId: string,
    query: SumQuery,
    range: Period,
    take: (group: SumGroup) => void,
  ): SqlSteps<void>;
  /**
   * Passes sums of parts of a range to `take`, newest first, with the start and the number of entries of the part, until
   * it returns false.
   */
  sumNewest(
    reader: EntrySlices,
    workspaceId: string,
    query: SumQuery,
    range: Period,
    take: (groups: readonly SumGroup[], start: number, entries: number) => boolean,
  ): SqlSteps<void>;
  sumRequestedModels(context: SqlContext, workspaceId: string, range: Period): SqlSteps<RequestedModelSum[]>;
  /** Returns true if a range has more than so many entries, of a session or of all. */
  hasMoreThan(
    context: SqlContext,
    workspaceId: string,
    range: Period,
    entries: number,
    session?: string,
  ): SqlSteps<boolean>;
  /** Returns the start of the first and last call of a key that reached a provider. */
  keyBounds(context: SqlContext, workspaceId: string, keyId: string, range: Period): SqlSteps<KeyBounds>;

  /** Returns entries that have an id of observed calls, or may be calls without ids; it may return others, too. */
  observed(context: SqlContext, workspace: number, calls: readonly ObservedCall[]): SqlSteps<Entry[]>;

  callHolds(context: SqlContext, workspaceId: string, query: CallHoldsQuery): SqlSteps<CallHolds>;
  sessionsBeginning(context: SqlContext, workspaceId: string, prefix: string, limit: number): SqlSteps<string[]>;
  /** Returns parents that calls of an agent named, in order of name. */
  parents(
    context: SqlContext,
    query: Pick<AgentParentsQuery, 'workspaceId' | 'keyId' | 'session' | 'parentsMax'>,
    agent: string,
  ): SqlSteps<string[]>;
  /** Counts the next uncertain entries that ended in a range. */
  countUncertain(context: SqlContext, workspaceId: string, ended: Period, limit: number): SqlSteps<UncertainCount>;
  /** Returns uncertain entries that ended in a range, in order of their end. */
  uncertain(context: SqlContext, workspaceId: string, ended: Period): SqlSteps<NumberedEntry[]>;
}
