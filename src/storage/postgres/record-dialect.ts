import {
  type CompiledQuery,
  type DatabaseConnection,
  type DatabaseIntrospector,
  type Dialect,
  type DialectAdapter,
  type Driver,
  type Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryCompiler,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import { TollbookError } from '../../domain/errors.ts';
import { FairLanes } from '../../lib/concurrency/lanes.ts';
import { currentClaims } from '../current-claims.ts';
import type { PostgresConnection, PostgresPool, PostgresQueries } from './postgres-pool.ts';
import { begin, commit, rollBack, runOn } from './postgres-transaction.ts';

/** Advisory lock of all processes that change records: one transaction at a time, as in SQLite. */
export const RECORDS_LOCK = 7_411;
/** Changes of this process that wait for their turn. */
const CHANGES_WAITING_MAX = 1_000;
const CHANGE = 'change';

/** PostgreSQL for the records. Their code reads, then writes what follows from it, so transactions must not overlap. */
export class RecordDialect implements Dialect {
  readonly #pool: PostgresPool;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  createDriver(): Driver {
    return new RecordDriver(this.#pool);
  }

  createQueryCompiler(): QueryCompiler {
    return new PostgresQueryCompiler();
  }

  createAdapter(): DialectAdapter {
    return new PostgresAdapter();
  }

  createIntrospector<Tables>(db: Kysely<Tables>): DatabaseIntrospector {
    return new PostgresIntrospector(db);
  }
}

class RecordDriver implements Driver {
  readonly #pool: PostgresPool;
  /** A change that waits has no connection, so that waiting ones can't take all from the one that runs. */
  readonly #turns = new FairLanes({ totalMax: 1, perNameMax: 1, waitingMax: CHANGES_WAITING_MAX });

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<RecordConnection> {
    return new RecordConnection(this.#pool);
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (settings.isolationLevel || settings.accessMode) throw new Error('Record transactions have no settings.');
    if ((await this.#turns.enter(CHANGE)) !== 'go')
      throw new TollbookError('unavailable', 'Too many changes wait for PostgreSQL. Try again.');
    await own(connection).begin(() => this.#turns.leave(CHANGE));
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).commit();
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    await own(connection).rollBack();
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    own(connection).release();
  }

  /** The pool belongs to its opener. */
  async destroy(): Promise<void> {}
}

function own(connection: DatabaseConnection): RecordConnection {
  if (connection instanceof RecordConnection) return connection;
  throw new TypeError('A connection of another driver');
}

/** Takes a connection of the pool when it is first used. */
class RecordConnection implements DatabaseConnection {
  readonly #pool: PostgresPool;
  #connection: PostgresConnection | null = null;
  #endTurn: (() => void) | null = null;

  constructor(pool: PostgresPool) {
    this.#pool = pool;
  }

  async executeQuery<Row>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<Row>> {
    const connection = await this.#open();
    const ask = (queries: PostgresQueries) => queries.query({ text: sql, values: parameters });
    // A single write of a job has no transaction that checks the job's claim.
    const isChecked = this.#endTurn !== null || query.kind === 'SelectQueryNode' || currentClaims().length === 0;
    const { rows, changes } = await (isChecked ? ask(connection) : runOn(connection, ask));
    return { rows: rows as Row[], numAffectedRows: BigInt(changes) };
  }

  async *streamQuery<Row>(query: CompiledQuery): AsyncIterableIterator<QueryResult<Row>> {
    yield await this.executeQuery<Row>(query);
  }

  async begin(endTurn: () => void): Promise<void> {
    this.#endTurn = endTurn;
    try {
      await begin(await this.#open(), { lock: RECORDS_LOCK });
    } catch (error) {
      this.release();
      throw error;
    }
  }

  async commit(): Promise<void> {
    await commit(await this.#open());
  }

  async rollBack(): Promise<void> {
    await rollBack(await this.#open());
  }

  release(): void {
    this.#connection?.release();
    this.#connection = null;
    this.#endTurn?.();
    this.#endTurn = null;
  }

  async #open(): Promise<PostgresConnection> {
    return (this.#connection ??= await this.#pool.connect());
  }
}
