import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { TollbookError } from '../../domain/errors.ts';

/** Turns of the event loop that a write waits for another transaction on the same connection. */
const TURNS_MAX = 10_000;

/** A database with its prepared statements. The code has a fixed number of SQL texts, so all statements are kept. */
export class SqliteConnection {
  readonly db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  /** Returns a statement whose integers are numbers: reading one above 2^53 throws. */
  statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) this.#statements.set(sql, (statement = this.db.prepare(sql)));
    return statement;
  }

  /** Returns a statement whose integers are `bigint`, for sums. */
  sumStatement(sql: string): StatementSync {
    const known = this.#statements.has(sql);
    const statement = this.statement(sql);
    if (!known) statement.setReadBigInts(true);
    return statement;
  }

  /** Returns rows as lists of columns, in half the time. No integer may be above 2^53. */
  lists(sql: string, ...parameters: (string | number)[]): (readonly unknown[])[] {
    const known = this.#statements.has(sql);
    const statement = this.statement(sql);
    if (!known) statement.setReturnArrays(true);
    const rows: readonly unknown[] = statement.all(...parameters);
    return rows.filter((row) => Array.isArray(row));
  }

  /**
   * Runs `work` in one transaction without interruption. The records share this connection and await inside their
   * transactions, so a write first waits until none is open: inside one it would be undone with it.
   */
  async transaction<Result>(work: () => Result): Promise<Result> {
    for (let turn = 0; this.db.isTransaction; turn += 1) {
      if (turn === TURNS_MAX)
        throw new TollbookError('unavailable', 'The ledger is busy with another change. Try again.');
      await setImmediate();
    }
    this.db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.db.exec('COMMIT');
      return result;
    } catch (error) {
      // SQLite has rolled back by itself after some errors, a full disk for instance.
      if (this.db.isTransaction) this.db.exec('ROLLBACK');
      throw error;
    }
  }
}
