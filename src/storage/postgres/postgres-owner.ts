import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Client, type PoolConfig } from 'pg';
import { TollbookError } from '../../domain/errors.ts';
import { systemScheduler } from '../../lib/clock.ts';
import type { DatabaseOwner, OwnerOptions } from '../database-owner.ts';
import { journalSettings, type JournalNotes, parseJournalNotes } from '../records/journal.ts';
import { startError } from './check-server.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { translateError } from './postgres-errors.ts';
import { untilServerAnswers } from './wait-for-server.ts';

/** Advisory lock of the process that owns a database. */
const OWNER_LOCK = 7_410;
const CONNECT_MS_MAX = 5_000;
/** Wait between two attempts to take the lock, or to reach the server. */
const RETRY_MS = 500;
/** Time for the lock of an earlier process to become free: the server soon notices that a process has ended. */
const TAKE_MS_MAX = 3_000;
/** Time for it after the connection broke: the server may still hold on to that one. */
const TAKE_AGAIN_MS_MAX = 40_000;
/** Interval at which the connection is checked. */
const CHECK_MS = 15_000;
/** Time for an answer. */
const ANSWER_MS_MAX = 5_000;
/** The server notices after about 25 s that a machine is gone. Until then the lock is not free. */
const KEEP_ALIVES = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3';
const TAKE = `SELECT pg_try_advisory_lock(${OWNER_LOCK}) AS taken`;
const OWNER = `SELECT application_name AS name, backend_start AS since
  FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE locktype = 'advisory' AND classid = 0 AND objid = ${OWNER_LOCK} AND objsubid = 1 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** PostgreSQL cuts longer names. */
const NAME_CHARACTERS_MAX = 63;
const UNDEFINED_TABLE = '42P01';

/**
 * Makes this process the owner of a database: it holds a lock that ends with its connection, and takes it again after each
 * loss of the connection. Throws `conflict` naming the current owner.
 */
export async function ownPostgresDatabase(url: string, options: OwnerOptions): Promise<DatabaseOwner> {
  const owner = new PostgresOwner(parsePostgresAddress(url), options);
  await owner.open();
  return owner;
}

class PostgresOwner implements DatabaseOwner {
  readonly #address: PoolConfig;
  readonly #options: OwnerOptions;
  readonly #released = new AbortController();
  #client: Client | null = null;

  constructor(address: PoolConfig, options: OwnerOptions) {
    this.#address = address;
    this.#options = options;
  }

  async open(): Promise<void> {
    await untilServerAnswers(async () => {
      // Before the lock, which a pooler would keep for its next client.
      await refuseTransactionPooler(this.#address);
      await this.#take(TAKE_MS_MAX);
    }, this.#options);
  }

  async journalNotes(place: string): Promise<JournalNotes> {
    const values = [journalSettings(place)];
    const names = 'SELECT name, value FROM settings WHERE name = ANY ($1)';
    try {
      const found = await this.#client?.query<{ name: string; value: string }>(names, [values]);
      return parseJournalNotes(new Map(found?.rows.map(({ name, value }) => [name, value])), place);
    } catch (error) {
      // A new database.
      if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE)
        return parseJournalNotes(new Map(), place);
      throw translateError(error);
    }
  }

  async release(): Promise<void> {
    this.#released.abort();
    const client = this.#client;
    this.#client = null;
    if (client) await closeQuietly(client);
  }

  async #take(waitMsMax: number): Promise<void> {
    const { signal } = this.#released;
    const client = await connectOwner(this.#address);
    try {
      await takeLock(client, waitMsMax, signal);
    } catch (error) {
      await closeQuietly(client);
      throw translateError(error);
    }
    if (signal.aborted) return await closeQuietly(client);
    this.#client = client;
    const callOff = this.#checkLater(client);
    client.once('end', () => {
      callOff();
      void this.#takeAgain();
    });
  }

  /** Checks the connection now and then: a network may fail, or its address move, without a word. */
  #checkLater(client: Client): () => void {
    const { scheduler = systemScheduler } = this.#options;
    let callOff = (): void => {};
    const check = (): void => {
      client.query('SELECT 1').then(later, () => closeQuietly(client));
    };
    const later = (): void => {
      if (this.#client === client) callOff = scheduler.later(check, CHECK_MS);
    };
    later();
    return () => callOff();
  }

  async #takeAgain(): Promise<void> {
    this.#client = null;
    while (!this.#released.signal.aborted) {
      try {
        return await this.#take(TAKE_AGAIN_MS_MAX);
      } catch (error) {
        if (error instanceof TollbookError && error.type === 'conflict') return this.#options.onLost(error.message);
        await pauseUnlessAborted(RETRY_MS, this.#released.signal);
      }
    }
  }
}

async function connectOwner(address: PoolConfig): Promise<Client> {
  const client = new Client({
    ...address,
    application_name: `tollbook ${process.pid} ${hostname()}`.slice(0, NAME_CHARACTERS_MAX),
    connectionTimeoutMillis: CONNECT_MS_MAX,
    query_timeout: ANSWER_MS_MAX,
    keepAlive: true,
  });
  // Without a listener, a broken connection would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(KEEP_ALIVES);
    return client;
  } catch (error) {
    await closeQuietly(client);
    throw startError(translateError(error));
  }
}

/** Throws `unavailable` if two connections share a session of the server: locks and listening need one of their own. */
async function refuseTransactionPooler(address: PoolConfig): Promise<void> {
  const clients = [await connectOwner(address), await connectOwner(address)];
  try {
    const pids: number[] = [];
    for (const client of [...clients, ...clients]) {
      const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      pids.push(...rows.map(({ pid }) => pid));
    }
    const [one, other, oneAgain, otherAgain] = pids;
    if (one !== other && one === oneAgain && other === otherAgain) return;
  } catch (error) {
    throw translateError(error);
  } finally {
    await Promise.all(clients.map(closeQuietly));
  }
  throw new TollbookError(
    'unavailable',
    'SVC_DATABASE_URL leads to a pooler that lends a session for a transaction. Name the PostgreSQL server itself, or set ' +
      'the pooler to keep a session for each connection (PgBouncer: pool_mode = session).',
    'SVC_DATABASE_URL',
  );
}

async function takeLock(client: Client, waitMsMax: number, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  while (!signal.aborted) {
    const { rows } = await client.query<{ taken: boolean }>(TAKE);
    if (rows[0]?.taken) return;
    if (performance.now() >= deadline) throw await ownedByAnother(client);
    await pauseUnlessAborted(RETRY_MS, signal);
  }
}

async function ownedByAnother(client: Client): Promise<TollbookError> {
  const { rows } = await client.query<{ name: string; since: Date }>(OWNER);
  const [, pid, host] = /^tollbook (\d+) (.+)$/.exec(rows[0]?.name ?? '') ?? [];
  const process = pid === undefined ? 'another process' : `process ${pid} on ${host}`;
  const owner = rows[0] ? `${process} since ${rows[0].since.toISOString()}` : process;
  return new TollbookError(
    'conflict',
    `The database of SVC_DATABASE_URL is in use by ${owner}. One service uses a database: stop that process, ` +
      'or run this command where it runs, with its data folder (SVC_DATA_DIR).',
  );
}

async function closeQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}

async function pauseUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
