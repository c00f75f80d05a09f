import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { TollbookError } from '../../domain/errors.ts';
import type { SqlDriver } from '../sql/sql-driver.ts';
import type { SqlSteps } from '../sql/steps.ts';
import { SqliteConnection } from './connection.ts';
import { SQLITE_DIALECT } from './sqlite-dialect.ts';

const BUSY_MS_MAX = 5_000;

/**
 * Runs steps on SQLite. A query that fits into one turn is answered immediately. A longer one runs in turns on its own
 * connection with a snapshot, so that all sums of a report are from one instant. Only one of these runs at a time:
 * together they would not be faster. That connection stays open: to open it and prepare its statements takes longer than
 * most queries.
 */
export class SqliteDriver implements SqlDriver {
  readonly dialect = SQLITE_DIALECT;
  readonly sliceEntries: number;
  readonly #connection: SqliteConnection;
  #snapshots: SqliteConnection | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(connection: SqliteConnection, sliceEntries: number) {
    this.#connection = connection;
    this.sliceEntries = sliceEntries;
  }

  async read<Result>(query: () => SqlSteps<Result>): Promise<Result> {
    const steps = query();
    const turn = this.#connection.runTurn(steps);
    if (turn.done) return turn.value;
    const file = this.#connection.db.location();
    // A database in memory has no second connection.
    if (file === null) return this.#connection.run(steps);
    const result = this.#last.then(() => this.#onSnapshot(file, query));
    this.#last = result.catch(() => undefined);
    return await result;
  }

  async write<Result>(work: () => SqlSteps<Result>): Promise<Result> {
    return await this.#connection.transaction(() => this.#connection.run(work()));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#last;
    this.#snapshots?.db.close();
    this.#snapshots = null;
  }

  async #onSnapshot<Result>(file: string, query: () => SqlSteps<Result>): Promise<Result> {
    this.#refuseIfClosed();
    const connection = (this.#snapshots ??= openReadOnly(file));
    connection.db.exec('BEGIN');
    try {
      const steps = query();
      for (;;) {
        const turn = connection.runTurn(steps);
        if (turn.done) return turn.value;
        await setImmediate();
        this.#refuseIfClosed();
      }
    } finally {
      // SQLite has rolled back by itself after some errors.
      if (connection.db.isTransaction) connection.db.exec('ROLLBACK');
    }
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw new TollbookError('unavailable', 'The ledger is closing. Try again when it is open.');
  }
}

function openReadOnly(file: string): SqliteConnection {
  return new SqliteConnection(new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS_MAX }));
}
