import { type ClientBase, Pool, type PoolClient, type PoolConfig, type QueryResult } from 'pg';
import { breaksConnection, translateError } from './postgres-errors.ts';
import { BIGINTS, NUMBERS, toParameters } from './postgres-values.ts';

/** Time for a connection: for a free one of the pool, or for a new one; unless a caller has less. */
const CONNECT_MS_MAX = 5_000;
/** An unused connection is closed after this. */
const IDLE_MS_MAX = 30_000;
/** Time for one statement; the server cancels it. */
const STATEMENT_MS_MAX = 60_000;
/** Time to wait for a lock that another transaction holds. */
const LOCK_MS_MAX = 10_000;
/** A process that hangs inside a transaction holds its locks for this long; the server ends its connection. */
const IDLE_IN_TRANSACTION_MS_MAX = 15_000;
/** Further time for the answer to arrive. Without one the connection is given up: a network may fail without a word. */
const ANSWER_MS_MAX = 5_000;
const KEEP_ALIVE_MS = 10_000;

const SETTINGS = [
  // Compiling a statement takes longer than running ours.
  'SET jit = off',
  `SET idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS_MAX}`,
];
const TIMEOUTS = [`SET statement_timeout = ${STATEMENT_MS_MAX}`, `SET lock_timeout = ${LOCK_MS_MAX}`];

export interface PoolLimits {
  /** Maximum number of connections. */
  readonly connectionsMax: number;
  readonly connectMsMax?: number;
  /** Statements and locks take as long as they need, as a migration does. */
  readonly patient?: boolean;
}

export interface PostgresQuery {
  readonly text: string;
  readonly values?: readonly unknown[];
  /** Prepares the statement once on each connection under this name. One name always has the same text. */
  readonly name?: string;
  /** `bigints`: for sums. Default: numbers, and one above 2^53 is an error. */
  readonly integers?: 'numbers' | 'bigints';
}

type PostgresRow = Readonly<Record<string, unknown>>;

export interface PostgresResult {
  readonly rows: readonly PostgresRow[];
  /** Rows that were inserted, changed or deleted. */
  readonly changes: number;
  readonly command: string;
}

/** Answers queries: a connection, or the pool with any of its connections. */
export interface PostgresQueries {
  query(query: PostgresQuery): Promise<PostgresResult>;
  /** Runs a query, and returns each row as a list of its columns. */
  lists(query: PostgresQuery): Promise<readonly (readonly unknown[])[]>;
}

/** A connection that one caller has for itself until `release`. Its errors are translated (`translateError`). */
export class PostgresConnection implements PostgresQueries {
  readonly #client: PoolClient;
  #broken = false;
  readonly #lost = (): void => {
    this.#broken = true;
  };

  constructor(client: PoolClient) {
    this.#client = client;
    // Without a listener, a connection that breaks between two statements would end the process.
    client.on('error', this.#lost);
  }

  async query(query: PostgresQuery): Promise<PostgresResult> {
    const { rows, rowCount, command } = await this.#run(() =>
      this.#client.query<Record<string, unknown>>(toConfig(query)),
    );
    return { rows, changes: rowCount ?? 0, command };
  }

  async lists(query: PostgresQuery): Promise<readonly (readonly unknown[])[]> {
    const { rows } = await this.#run(() => this.#client.query<unknown[]>({ ...toConfig(query), rowMode: 'array' }));
    return rows;
  }

  /** Runs several statements without values in one round trip. */
  async script(text: string): Promise<void> {
    await this.#run(() => this.#client.query(text));
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (breaksConnection(error)) this.#broken = true;
      throw translateError(error);
    }
  }

  /** Has the connection closed instead of used again. */
  breakOff(): void {
    this.#broken = true;
  }

  /** Returns the connection to the pool, or closes it if it broke. */
  release(): void {
    this.#client.off('error', this.#lost);
    this.#client.release(this.#broken);
  }
}

/** Identifies a run of a server and one of its databases. */
const SERVER_RUN = `SELECT pg_postmaster_start_time()::text || ' ' || oid::text AS run FROM pg_database
  WHERE datname = current_database()`;

/** Connections to PostgreSQL. */
export class PostgresPool implements PostgresQueries {
  readonly connectionsMax: number;
  readonly #pool: Pool;
  readonly #replacedListeners: (() => void)[] = [];
  /** Run of the server to which the newest connection leads. */
  #serverRun: string | null = null;

  constructor(address: PoolConfig, { connectionsMax, connectMsMax = CONNECT_MS_MAX, patient = false }: PoolLimits) {
    this.connectionsMax = connectionsMax;
    const settings = patient ? SETTINGS : [...SETTINGS, ...TIMEOUTS];
    this.#pool = new Pool({
      application_name: 'tollbook',
      ...address,
      max: connectionsMax,
      connectionTimeoutMillis: connectMsMax,
      idleTimeoutMillis: IDLE_MS_MAX,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      ...(!patient && { query_timeout: STATEMENT_MS_MAX + ANSWER_MS_MAX }),
      // The pool waits for it, which its types don't say.
      onConnect: (client): unknown => this.#prepare(client, settings),
    });
    // An unused connection broke. The pool has removed it, and the next query opens another.
    this.#pool.on('error', () => {});
  }

  /**
   * Calls a listener when the server was restarted or another one took its place, which may lack the last commits. No query
   * has reached it then.
   */
  onReplaced(listener: () => void): void {
    this.#replacedListeners.push(listener);
  }

  /** Returns a connection. The caller must release it. */
  async connect(): Promise<PostgresConnection> {
    try {
      return new PostgresConnection(await this.#pool.connect());
    } catch (error) {
      throw translateError(error);
    }
  }

  async query(query: PostgresQuery): Promise<PostgresResult> {
    return await this.#withConnection((connection) => connection.query(query));
  }

  async lists(query: PostgresQuery): Promise<readonly (readonly unknown[])[]> {
    return await this.#withConnection((connection) => connection.lists(query));
  }

  /** Makes settings by statements: a pooler refuses them in the message that opens a connection. */
  async #prepare(client: ClientBase, settings: readonly string[]): Promise<void> {
    const query = { text: [...settings, SERVER_RUN].join('; '), query_timeout: ANSWER_MS_MAX };
    // One result for each statement.
    const results: unknown = await client.query(query);
    const [found] = (results as readonly QueryResult<{ run: string }>[]).at(-1)?.rows ?? [];
    const before = this.#serverRun;
    this.#serverRun = found?.run ?? null;
    if (before !== null && before !== this.#serverRun) for (const listener of this.#replacedListeners) listener();
  }

  async #withConnection<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.connect();
    try {
      return await work(connection);
    } finally {
      connection.release();
    }
  }

  /** Closes all connections once their queries have ended. */
  async close(): Promise<void> {
    await this.#pool.end();
  }
}

function toConfig({ text, values = [], name, integers = 'numbers' }: PostgresQuery): {
  text: string;
  values: unknown[];
  name?: string;
  types: typeof NUMBERS;
} {
  const types = integers === 'numbers' ? NUMBERS : BIGINTS;
  return { text, values: toParameters(values), types, ...(name !== undefined && { name }) };
}
