import type { SqliteConnection } from '../sqlite/connection.ts';
import type { NameTable } from './name-table.ts';
import type { Period } from '../../domain/time/period.ts';

/** Work in parts of about 50 ms; it yields between them so that other work can run. */
export type QuerySteps<Result> = Generator<undefined, Result, undefined>;

/** Runs all steps without interruption. */
export function runToEnd<Result>(steps: QuerySteps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Condition on an entry `e` of `:session`, in the form of its index. Without statistics, SQLite takes another index. */
export const SESSION = `substr(coalesce(e.session_name, e.session_hash), 1, 8) || substr(coalesce(e.session_name, e.session_hash), -8)
    = substr(:session, 1, 8) || substr(:session, -8)
  AND coalesce(e.session_name, e.session_hash) IS NOT NULL AND coalesce(e.session_name, e.session_hash) = :session`;
export const BY_SESSION = 'INDEXED BY entries_session';

/** Entries to add up per turn. */
export const SLICE_ENTRIES = 20_000;

/** Reads entries for one query and counts how many remain in its turn. */
export class EntryReader {
  readonly connection: SqliteConnection;
  readonly names: NameTable;
  readonly #sliceEntries: number;
  #left: number;

  constructor(connection: SqliteConnection, names: NameTable, sliceEntries: number) {
    this.connection = connection;
    this.names = names;
    this.#sliceEntries = sliceEntries;
    this.#left = sliceEntries;
  }

  /** Calls `read` with parts of a range and yields after each full turn. With a session, only its entries count. */
  *inSlices(
    workspace: number,
    { start, end }: Period,
    read: (part: Period) => void,
    session?: string,
  ): QuerySteps<void> {
    for (let from = start; from < end;) {
      const { entries, last } = this.#next({ workspace, start: from, end }, session);
      if (entries < this.#left) {
        this.#left -= entries;
        return read({ start: from, end });
      }
      // More entries than that may have begun in one millisecond.
      const to = Math.max(last, from + 1);
      read({ start: from, end: to });
      from = to;
      this.#left = this.#sliceEntries;
      yield;
    }
  }

  /**
   * Calls `read` with parts of a range, newest first, and the number of their entries, until it returns false. Yields
   * after each full turn.
   */
  *newestFirst(
    workspace: number,
    { start, end }: Period,
    read: (part: Period, entries: number) => boolean,
  ): QuerySteps<void> {
    const slice = this.connection.statement(NEWEST);
    for (let to = end; start < to;) {
      const row = slice.get({ workspace, start, end: to, left: this.#left });
      const entries = Number(row?.['entries']);
      const from = entries < this.#left ? start : Number(row?.['first']);
      // Other entries may have begun in the same millisecond as the first; they are read with it.
      const goesOn = read({ start: from, end: to }, entries);
      this.#left = entries < this.#left ? this.#left - entries : this.#sliceEntries;
      if (!goesOn || from === start) return;
      to = from;
      yield;
    }
  }

  /** Returns the number of entries left in this turn, and the start of the last. */
  #next(of: Period & { workspace: number }, session: string | undefined): { entries: number; last: number } {
    const given = { ...of, left: this.#left };
    const row =
      session === undefined
        ? this.connection.statement(NEXT).get(given)
        : this.connection.statement(NEXT_OF_SESSION).get({ ...given, session });
    return { entries: Number(row?.['entries']), last: Number(row?.['last'] ?? 0) };
  }
}

const NEWEST = `SELECT count(*) AS entries, min(started_at) AS first FROM (
    SELECT started_at FROM entries WHERE workspace = :workspace AND started_at >= :start AND started_at < :end
    ORDER BY started_at DESC LIMIT :left)`;
const NEXT = countNext('entries e');
const NEXT_OF_SESSION = countNext(`entries e ${BY_SESSION}`, SESSION);

function countNext(from: string, condition = '1'): string {
  return `SELECT count(*) AS entries, max(started_at) AS last FROM (
    SELECT started_at FROM ${from} WHERE workspace = :workspace AND ${condition}
      AND started_at >= :start AND started_at < :end
    ORDER BY started_at LIMIT :left)`;
}

const READ = 'SELECT from_hour FROM retained_entries WHERE workspace = ?';
const MOVE = `INSERT INTO retained_entries (workspace, from_hour) VALUES (?, ?)
  ON CONFLICT (workspace) DO UPDATE SET from_hour = max(from_hour, excluded.from_hour)`;

/** Returns the whole UTC hour from which on a workspace still has all entries. */
export function readDetailBegins(connection: SqliteConnection, workspace: number): number {
  return Number(connection.statement(READ).get(workspace)?.['from_hour'] ?? 0);
}

export function moveDetailBegins(connection: SqliteConnection, workspace: number, hour: number): void {
  connection.statement(MOVE).run(workspace, hour);
}
