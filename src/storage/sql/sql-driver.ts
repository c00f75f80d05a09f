import type { Dialect } from './dialect.ts';
import type { SqlSteps } from './steps.ts';

/** Runs steps on the database of one engine. */
export interface SqlDriver {
  readonly dialect: Dialect;
  /** Entries that a query adds up between two pauses. */
  readonly sliceEntries: number;
  /** Runs a query on one state of the database. It may make the steps again and start over. */
  read<Result>(query: () => SqlSteps<Result>): Promise<Result>;
  /**
   * Runs work in one transaction, after the work that was given before. Where a server undoes the transaction because
   * of another one, it makes the steps again.
   */
  write<Result>(work: () => SqlSteps<Result>, access: WriteAccess): Promise<Result>;
  /** Calls a listener when the database may lack what was committed. Absent = it never does. */
  onReplaced?(listener: () => void): void;
  /** Cancels running queries. */
  close(): Promise<void>;
}

/**
 * `append`: adds to what is stored, in an order that other processes may mix. `alone`: writes what follows from what it
 * has read, so no other process may write meanwhile.
 */
export type WriteAccess = 'append' | 'alone';
