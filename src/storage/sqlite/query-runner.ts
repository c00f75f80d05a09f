import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { TollbookError } from '../../domain/errors.ts';
import { SqliteConnection } from './connection.ts';
import { NameTable } from '../sql/name-table.ts';
import { runToEnd, EntryReader, type QuerySteps } from '../sql/entry-reader.ts';

const BUSY_MS_MAX = 5_000;

/**
 * Runs queries. A query that fits into one turn is answered immediately. A longer one runs in turns on its own
 * connection with a snapshot, so that all sums of a report are from one instant. Only one of these runs at a time:
 * together they would not be faster.
 */
export class QueryRunner {
  readonly #connection: SqliteConnection;
  readonly #names: NameTable;
  readonly #sliceEntries: number;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(connection: SqliteConnection, names: NameTable, sliceEntries: number) {
    this.#connection = connection;
    this.#names = names;
    this.#sliceEntries = sliceEntries;
  }

  async to<Answer>(query: (reader: EntryReader) => QuerySteps<Answer>): Promise<Answer> {
    const steps = query(new EntryReader(this.#connection, this.#names, this.#sliceEntries));
    const first = steps.next();
    if (first.done) return first.value;
    const file = this.#connection.db.location();
    // A database in memory has no second connection.
    if (file === null) return runToEnd(steps);
    const answer = this.#last.then(() => this.#onSnapshot(file, query));
    this.#last = answer.catch(() => undefined);
    return await answer;
  }

  /** Cancels the running query. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
  }

  async #onSnapshot<Answer>(file: string, query: (reader: EntryReader) => QuerySteps<Answer>): Promise<Answer> {
    const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS_MAX });
    try {
      db.exec('BEGIN');
      const connection = new SqliteConnection(db);
      const steps = query(new EntryReader(connection, new NameTable(connection), this.#sliceEntries));
      for (;;) {
        const step = steps.next();
        if (step.done) return step.value;
        await setImmediate();
        if (this.#closed) throw new TollbookError('unavailable', 'The ledger is closing. Try again when it is open.');
      }
    } finally {
      db.close();
    }
  }
}
