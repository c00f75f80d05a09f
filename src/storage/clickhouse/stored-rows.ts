import { ask, askElsewhere, change, insertRows, type RowInsert, type SqlSteps } from '../sql/steps.ts';
import { number, type ResultRow, text } from '../sql/result-row.ts';
import type { ClickhouseConnection, ClickhouseParameters } from './clickhouse-connection.ts';
import { CORRECTIONS } from './entry-columns.ts';

/** Table of ClickHouse. */
export const TABLE = 'entries';
const MARKS = 'SELECT journal_id, mark FROM marks';
/** ClickHouse takes no empty list here. */
const NO_JOURNAL = { journal: '', mark: -1 };
const PENDING = 'SELECT position, entry FROM pending_corrections ORDER BY position';
const NUMBERS = `SELECT nextval('entries_id_seq') AS id FROM generate_series(1, ?)`;
const NEWEST = 'SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS id FROM entries_id_seq';
const LAST_CORRECTION = 'SELECT mark FROM marks WHERE journal_id = ?';
const MOVE_CORRECTIONS = `INSERT INTO marks (journal_id, mark) VALUES (?, ?)
  ON CONFLICT (journal_id) DO UPDATE SET mark = excluded.mark`;
const ADD_PENDING: RowInsert = {
  table: 'pending_corrections',
  columns: ['position', 'entry'],
  keyColumns: 1,
  onConflict: '',
  returning: [],
};
const SETTLE = 'DELETE FROM pending_corrections WHERE position <= ?';

/** SQL: rows of a workspace that are part of the ledger and meet the conditions. */
export function fromEntries(...conditions: readonly string[]): string {
  return fromAllEntries('workspace = {workspace:String}', ...conditions);
}

/** SQL: the same, of all workspaces. */
export function fromAllEntries(...conditions: readonly string[]): string {
  const all = [...conditions, 'position <= transform(journal, {journals:Array(String)}, {marks:Array(Int64)}, -1)'];
  return `${TABLE} FINAL WHERE ${all.join(' AND ')}`;
}

/** Rows of ClickHouse, as far as the transaction of PostgreSQL has them in the ledger. */
export class StoredRows {
  readonly #connection: ClickhouseConnection;

  constructor(connection: ClickhouseConnection) {
    this.#connection = connection;
  }

  /**
   * Asks ClickHouse. The SQL takes its rows from `fromEntries`.
   * @param earlier the mark of a journal before the current batch
   */
  *ask(
    sql: string,
    parameters: ClickhouseParameters,
    earlier?: { readonly journal: string; readonly mark: number },
  ): SqlSteps<readonly ResultRow[]> {
    yield* this.#insertPending();
    const stored = (yield ask(MARKS)).map((row) => ({ journal: text(row, 'journal_id'), mark: number(row, 'mark') }));
    const marks = [...stored.filter(({ journal }) => journal !== earlier?.journal), earlier ?? NO_JOURNAL];
    const given = {
      ...parameters,
      journals: marks.map(({ journal }) => journal),
      marks: marks.map(({ mark }) => mark),
    };
    return yield askElsewhere(async () => {
      await this.#connection.prepare();
      return await this.#connection.query(sql, given);
    });
  }

  /** Inserts the rows of calls. They are part of the ledger when the transaction has moved the mark of their journal. */
  *insert(rows: readonly ResultRow[]): SqlSteps<void> {
    yield askElsewhere(async () => {
      await this.#connection.prepare();
      await this.#connection.insert(TABLE, rows);
      return [];
    });
  }

  *command(sql: string, parameters: ClickhouseParameters): SqlSteps<void> {
    yield askElsewhere(async () => {
      await this.#connection.command(sql, parameters);
      return [];
    });
  }

  /** Returns numbers for new rows, in order. */
  *nextNumbers(count: number): SqlSteps<number[]> {
    return count === 0 ? [] : (yield ask(NUMBERS, [count])).map((row) => number(row, 'id'));
  }

  *newest(): SqlSteps<number> {
    const [row = {}] = yield ask(NEWEST);
    return number(row, 'id');
  }

  /** Stores a correction in PostgreSQL. It is part of the ledger with the commit, and goes to ClickHouse afterwards. */
  *addCorrection(toRow: (position: number) => ResultRow): SqlSteps<void> {
    const [last] = yield ask(LAST_CORRECTION, [CORRECTIONS]);
    const position = (last ? number(last, 'mark') : 0) + 1;
    yield* insertRows(ADD_PENDING, [[position, JSON.stringify(toRow(position))]]);
    yield* change(MOVE_CORRECTIONS, [CORRECTIONS, position]);
  }

  /** Moves waiting corrections to ClickHouse. */
  *settle(): SqlSteps<void> {
    const last = yield* this.#insertPending();
    if (last !== null) yield* change(SETTLE, [last]);
  }

  /** Inserts waiting corrections into ClickHouse; repeated ones replace themselves. Returns the position of the last. */
  *#insertPending(): SqlSteps<number | null> {
    const pending = yield ask(PENDING);
    const last = pending.at(-1);
    if (!last) return null;
    yield* this.insert(pending.map((row) => JSON.parse(text(row, 'entry')) as ResultRow));
    return number(last, 'position');
  }
}
