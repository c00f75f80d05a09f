import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { TollbookError } from '../../domain/errors.ts';
import type { ResultRow } from '../sql/result-row.ts';
import type {
  InsertQuestion,
  RowForm,
  RowInsert,
  SqlParameters,
  SqlQuestion,
  SqlSteps,
  SqlValue,
} from '../sql/steps.ts';

/** Turns of the event loop that a write waits for another transaction on the same connection. */
const TURNS_MAX = 10_000;

/** A database with its prepared statements. The code has a fixed number of SQL texts, so all statements are kept. */
export class SqliteConnection {
  readonly db: DatabaseSync;
  /** Statements by the form of their rows. */
  readonly #statements: Readonly<Record<RowForm, Map<string, StatementSync>>> = {
    numbers: new Map(),
    bigints: new Map(),
    lists: new Map(),
    sumLists: new Map(),
    changes: new Map(),
  };
  readonly #inserts = new Map<RowInsert, PreparedInsert>();

  constructor(db: DatabaseSync) {
    this.db = db;
  }

  /** Runs steps without interruption. */
  run<Result>(steps: SqlSteps<Result>): Result {
    for (;;) {
      const turn = this.runTurn(steps);
      if (turn.done) return turn.value;
    }
  }

  /** Runs steps to their next pause, or to their end. */
  runTurn<Result>(steps: SqlSteps<Result>): IteratorResult<undefined, Result> {
    let step = steps.next(NO_ROWS);
    while (!step.done && step.value !== undefined) step = steps.next(this.#answer(step.value));
    return step.done ? step : PAUSE;
  }

  #answer(question: SqlQuestion): readonly ResultRow[] {
    switch (question.kind) {
      case 'statement': {
        const { sql, parameters, form } = question;
        const statement = this.#prepare(sql, form);
        if (form === 'changes') return [{ changes: runStatement(statement, parameters).changes }];
        return isList(parameters) ? statement.all(...parameters) : statement.all(parameters);
      }
      case 'each': {
        const statement = this.#prepare(question.sql, question.form);
        return question.lists.flatMap((parameters) => statement.all(...parameters));
      }
      case 'insert':
        return this.#insert(question);
      case 'elsewhere':
        throw new Error('A turn of SQLite does not wait for another server.');
    }
  }

  #prepare(sql: string, form: RowForm): StatementSync {
    const known = this.#statements[form];
    let statement = known.get(sql);
    if (!statement) {
      known.set(sql, (statement = this.db.prepare(sql)));
      if (form === 'bigints' || form === 'sumLists') statement.setReadBigInts(true);
      if (form === 'lists' || form === 'sumLists') statement.setReturnArrays(true);
    }
    return statement;
  }

  #insert({ insert, rows }: InsertQuestion): readonly ResultRow[] {
    let prepared = this.#inserts.get(insert);
    if (!prepared) this.#inserts.set(insert, (prepared = prepareInsert(this.db, insert)));
    const { statement, returned } = prepared;
    const inserted: ResultRow[] = [];
    for (const row of rows) {
      const { changes, lastInsertRowid } = statement.run(...row);
      if (returned.length === 0 || changes === 0) continue;
      const result: ResultRow = {};
      for (const [column, index] of returned)
        result[column] = index === ASSIGNED ? Number(lastInsertRowid) : row[index];
      inserted.push(result);
    }
    return inserted;
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

const NO_ROWS: readonly ResultRow[] = [];
const PAUSE = { done: false, value: undefined } as const;

function runStatement(statement: StatementSync, parameters: SqlParameters) {
  return isList(parameters) ? statement.run(...parameters) : statement.run(parameters);
}

function isList(parameters: SqlParameters): parameters is readonly SqlValue[] {
  return Array.isArray(parameters);
}

interface PreparedInsert {
  readonly statement: StatementSync;
  /** Columns to return, with their index in a given row. */
  readonly returned: readonly (readonly [column: string, index: number])[];
}

/** Index of the id, which SQLite assigns. */
const ASSIGNED = -1;

/** Prepares an insert without RETURNING, which would cost half as much again: SQLite gives the id of a row anyway. */
function prepareInsert(db: DatabaseSync, { table, columns, onConflict, returning }: RowInsert): PreparedInsert {
  const values = columns.map(() => '?').join(', ');
  const statement = db.prepare(`INSERT INTO ${table} (${columns.join(', ')}) VALUES (${values}) ${onConflict}`);
  return { statement, returned: returning.map((column) => [column, columns.indexOf(column)]) };
}
