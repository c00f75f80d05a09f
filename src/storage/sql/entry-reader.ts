import { type Dialect, perDialect } from './dialect.ts';
import type { EntrySlices, EntryTable, SqlContext } from './entry-table.ts';
import type { NameTable } from './name-table.ts';
import { number } from './result-row.ts';
import { ask, change, larger, type SqlQuestion, type SqlSteps } from './steps.ts';
import type { Period } from '../../domain/time/period.ts';

/** Conditions on the session of an entry `e`, in the form of its index. */
export const SESSION = perDialect((dialect) => {
  const session = 'coalesce(e.session_name, e.session_hash)';
  const key = (text: string): string => `substr(${text}, 1, 8) || ${dialect.ending(text, 8)}`;
  return {
    value: session,
    /** The entry is of `:session`. Without statistics, SQLite takes another index. */
    condition: `${key(session)} = ${key(':session')} AND ${session} IS NOT NULL AND ${session} = :session`,
    indexed: dialect.indexedBy('entries_session'),
  };
});

/** Entries to add up per turn. */
export const SLICE_ENTRIES = 20_000;

/** Reads entries for one query and counts how many remain in its turn. */
export class EntryReader implements EntrySlices {
  readonly names: NameTable;
  readonly dialect: Dialect;
  readonly entries: EntryTable;
  readonly #sliceEntries: number;
  #left: number;

  constructor({ names, dialect, entries }: SqlContext, sliceEntries: number) {
    this.names = names;
    this.dialect = dialect;
    this.entries = entries;
    this.#sliceEntries = sliceEntries;
    this.#left = sliceEntries;
  }

  /** Runs `read` for parts of a range and pauses after each full turn. With a session, only its entries count. */
  *inSlices(
    workspace: number,
    { start, end }: Period,
    read: (part: Period) => SqlSteps<void>,
    session?: string,
  ): SqlSteps<void> {
    for (let from = start; from < end;) {
      const [row] = yield this.#countNext({ workspace, start: from, end }, session);
      const [entries, last] = [Number(row?.['entries']), Number(row?.['last'] ?? 0)];
      if (entries < this.#left) {
        this.#left -= entries;
        return yield* read({ start: from, end });
      }
      // More entries than that may have begun in one millisecond.
      const to = Math.max(last, from + 1);
      yield* read({ start: from, end: to });
      from = to;
      this.#left = this.#sliceEntries;
      yield;
    }
  }

  /**
   * Runs `read` for parts of a range, newest first, with the number of their entries, until it returns false. Pauses
   * after each full turn.
   */
  *newestFirst(
    workspace: number,
    { start, end }: Period,
    read: (part: Period, entries: number) => SqlSteps<boolean>,
  ): SqlSteps<void> {
    for (let to = end; start < to;) {
      const [row] = yield ask(NEWEST, { workspace, start, end: to, left: this.#left });
      const entries = Number(row?.['entries']);
      const from = entries < this.#left ? start : Number(row?.['first']);
      // Other entries may have begun in the same millisecond as the first; they are read with it.
      const goesOn = yield* read({ start: from, end: to }, entries);
      this.#left = entries < this.#left ? this.#left - entries : this.#sliceEntries;
      if (!goesOn || from === start) return;
      to = from;
      yield;
    }
  }

  /** Asks for the number of entries left in this turn, and the start of the last. */
  #countNext(of: Period & { workspace: number }, session: string | undefined): SqlQuestion {
    const given = { ...of, left: this.#left };
    const { all, ofSession } = NEXT(this.dialect);
    return session === undefined ? ask(all, given) : ask(ofSession, { ...given, session });
  }
}

const NEWEST = `SELECT count(*) AS entries, min(started_at) AS first FROM (
    SELECT started_at FROM entries WHERE workspace = :workspace AND started_at >= :start AND started_at < :end
    ORDER BY started_at DESC LIMIT :left) AS newest`;
const NEXT = perDialect((dialect) => {
  const { condition, indexed } = SESSION(dialect);
  return { all: countNext('entries e'), ofSession: countNext(`entries e ${indexed}`, condition) };
});

function countNext(from: string, condition = 'TRUE'): string {
  return `SELECT count(*) AS entries, max(started_at) AS last FROM (
    SELECT started_at FROM ${from} WHERE workspace = :workspace AND ${condition}
      AND started_at >= :start AND started_at < :end
    ORDER BY started_at LIMIT :left) AS next`;
}

const READ = 'SELECT from_hour FROM retained_entries WHERE workspace = ?';
const MOVE = `INSERT INTO retained_entries (workspace, from_hour) VALUES (?, ?)
  ON CONFLICT (workspace) DO UPDATE SET from_hour = ${larger('retained_entries.from_hour', 'excluded.from_hour')}`;

/** Returns the whole UTC hour from which on a workspace still has all entries. */
export function* readDetailBegins(workspace: number): SqlSteps<number> {
  const [row] = yield ask(READ, [workspace]);
  return row ? number(row, 'from_hour') : 0;
}

export function* moveDetailBegins(workspace: number, hour: number): SqlSteps<void> {
  yield* change(MOVE, [workspace, hour]);
}
