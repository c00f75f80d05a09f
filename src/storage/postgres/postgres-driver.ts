import { TollbookError } from '../../domain/errors.ts';
import { FairLanes } from '../../lib/concurrency/lanes.ts';
import { SLICE_ENTRIES } from '../sql/entry-reader.ts';
import type { SqlDriver, WriteAccess } from '../sql/sql-driver.ts';
import type { SqlSteps } from '../sql/steps.ts';
import { POSTGRES_DIALECT } from './postgres-dialect.ts';
import type { PostgresPool, PostgresQueries } from './postgres-pool.ts';
import { PostgresQuestions } from './postgres-questions.ts';
import { runTransaction, type TransactionOptions } from './postgres-transaction.ts';

/** Advisory lock of the ledger: writers that only add share it, others have it alone. */
export const LEDGER_LOCK = 7_412;
const WRITES: Readonly<Record<WriteAccess, TransactionOptions>> = {
  append: { sharedLock: LEDGER_LOCK },
  alone: { lock: LEDGER_LOCK },
};
const READS: TransactionOptions = { sees: 'snapshot', readOnly: true };
/** Reads, and writes, that wait for their turn. */
const WAITING_MAX = 1_000;
const LANE = 'ledger';

/** Runs steps on PostgreSQL: each in a transaction on one connection. */
export class PostgresDriver implements SqlDriver {
  readonly dialect = POSTGRES_DIALECT;
  readonly sliceEntries = SLICE_ENTRIES;
  readonly #pool: PostgresPool;
  readonly #questions = new PostgresQuestions();
  /** Half of the connections, so that reports leave some to writes and records. */
  readonly #reads: FairLanes;
  /** One at a time: writes share the caches of the ledger, which have no place for two transactions. */
  readonly #writes = new FairLanes({ totalMax: 1, perNameMax: 1, waitingMax: WAITING_MAX });
  readonly #running = new Set<Promise<unknown>>();
  #closed = false;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
    const readsMax = Math.max(1, Math.floor(pool.connectionsMax / 2));
    this.#reads = new FairLanes({ totalMax: readsMax, perNameMax: readsMax, waitingMax: WAITING_MAX });
  }

  async read<Result>(query: () => SqlSteps<Result>): Promise<Result> {
    return await this.#inTurn(this.#reads, READS, (queries) => this.#run(queries, this.#untilClosed(query()), false));
  }

  async write<Result>(work: () => SqlSteps<Result>, access: WriteAccess): Promise<Result> {
    // Only appends have few different statements, which are worth preparing.
    return await this.#inTurn(this.#writes, WRITES[access], (queries) =>
      this.#run(queries, work(), access === 'append'),
    );
  }

  onReplaced(listener: () => void): void {
    this.#pool.onReplaced(listener);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#reads.close();
    this.#writes.close();
    await Promise.allSettled(this.#running);
  }

  async #inTurn<Result>(
    lanes: FairLanes,
    options: TransactionOptions,
    work: (queries: PostgresQueries) => Promise<Result>,
  ): Promise<Result> {
    const turn = await lanes.enter(LANE);
    if (turn === 'closed') throw isClosing();
    if (turn === 'full')
      throw new TollbookError('unavailable', 'Too many requests wait for PostgreSQL. Try again in a few seconds.');
    const result = runTransaction(this.#pool, work, options);
    this.#running.add(result);
    try {
      return await result;
    } finally {
      this.#running.delete(result);
      lanes.leave(LANE);
    }
  }

  /** Ends a query between two of its questions when the ledger closes. Writes are not cancelled. */
  *#untilClosed<Result>(steps: SqlSteps<Result>): SqlSteps<Result> {
    let step = steps.next([]);
    while (!step.done) {
      if (this.#closed) throw isClosing();
      step = steps.next(yield step.value);
    }
    return step.value;
  }

  async #run<Result>(queries: PostgresQueries, steps: SqlSteps<Result>, isPrepared: boolean): Promise<Result> {
    let step = steps.next([]);
    while (!step.done) {
      const question = step.value;
      step = steps.next(question === undefined ? [] : await this.#questions.answer(queries, question, isPrepared));
    }
    return step.value;
  }
}

function isClosing(): TollbookError {
  return new TollbookError('unavailable', 'The ledger is closing. Try again when it is open.');
}
