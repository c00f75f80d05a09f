import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type MonthSums, toMonthSums } from './month-sums.ts';
import { MOVE_NOTE, type MoveNote, readMoveNote } from './move-state.ts';
import { type Cell, followingRows, listMovedTables, type MovedTable, quoteIdentifier } from './moved-tables.ts';

const WRITE_NOTE = `INSERT INTO settings (name, value) VALUES (?, ?)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
const MONTHS = `SELECT strftime('%Y-%m', started_at / 1000, 'unixepoch') AS month, count(*), coalesce(sum(cost), 0),
  sum(input_tokens + output_tokens) FROM entries GROUP BY 1 ORDER BY 1`;

/** A ledger file that is read to be moved. No other process may have it open. */
export class SqliteSource {
  readonly tables: readonly MovedTable[];
  readonly #sqlite: DatabaseSync;

  constructor(file: string, { readOnly = false } = {}) {
    this.#sqlite = new DatabaseSync(file, { readOnly });
    // A note survives a loss of power.
    if (!readOnly) this.#sqlite.exec('PRAGMA synchronous = FULL');
    this.tables = listMovedTables(this.#sqlite);
  }

  get note(): MoveNote | null {
    return readMoveNote(this.#sqlite);
  }

  /** Notes a move that begins, unless one has. Returns its note. */
  begin(): MoveNote {
    const note = this.note ?? { id: randomUUID(), state: 'moving' };
    this.#write(note);
    return note;
  }

  end(note: MoveNote): void {
    this.#write({ ...note, state: 'moved' });
  }

  /** Lets the file be used again. */
  cancel(): void {
    this.#sqlite.prepare('DELETE FROM settings WHERE name = ?').run(MOVE_NOTE);
  }

  #write(note: MoveNote): void {
    this.#sqlite.prepare(WRITE_NOTE).run(MOVE_NOTE, JSON.stringify(note));
  }

  count({ name, only }: MovedTable): number {
    const where = only === null ? '' : `WHERE ${only}`;
    return Number(
      this.#sqlite.prepare(`SELECT count(*) AS rows FROM ${quoteIdentifier(name)} ${where}`).get()?.['rows'],
    );
  }

  /** Returns how many rows follow a key. */
  countFollowing(table: MovedTable, after: readonly Cell[]): number {
    const text = `SELECT count(*) AS rows FROM (${followingRows(table, places(after), -1)})`;
    return Number(this.#sqlite.prepare(text).get(...after)?.['rows']);
  }

  /** Returns the next rows after a key; null = the first. */
  read(table: MovedTable, after: readonly Cell[] | null, limit: number): Cell[][] {
    const statement = this.#sqlite.prepare(followingRows(table, after && places(after), limit));
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return statement.all(...(after ?? [])) as unknown as Cell[][];
  }

  months(): MonthSums[] {
    const statement = this.#sqlite.prepare(MONTHS);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    return toMonthSums(statement.all());
  }

  close(): void {
    this.#sqlite.close();
  }
}

function places(cells: readonly Cell[]): string[] {
  return cells.map(() => '?');
}
