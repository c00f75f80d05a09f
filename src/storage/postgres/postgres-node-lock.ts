import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { Client, type PoolConfig } from 'pg';
import { TollbookError } from '../../domain/errors.ts';
import { systemScheduler } from '../../lib/clock.ts';
import type { NodeLock, NodeLockOptions } from '../node-lock.ts';
import { journalSettings, type JournalNotes, parseJournalNotes } from '../records/journal.ts';
import { startError } from './check-server.ts';
import type { ServerWait } from '../server-wait.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { translateError } from './postgres-errors.ts';
import { untilServerAnswers } from './wait-for-server.ts';

/** First key of the advisory lock of a node; the second is of its journal's id. */
export const NODE_LOCK = 7_410;
const CONNECT_MS_MAX = 5_000;
/** Wait between two attempts to take the lock, or to reach the server. */
const RETRY_MS = 500;
/** Time for the lock of an earlier process to become free: the server soon notices that a process has ended. */
const TAKE_MS_MAX = 3_000;
/** Time for it after the connection broke, or the machine: the server may still hold on to that one. */
const TAKE_LONG_MS_MAX = 40_000;
/** Interval at which the connection is checked. */
const CHECK_MS = 15_000;
/** Time for an answer. */
const ANSWER_MS_MAX = 5_000;
/** The server notices after about 25 s that a machine is gone. Until then the lock is not free. */
const KEEP_ALIVES = 'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3';
const TAKE = `SELECT pg_try_advisory_lock(${NODE_LOCK}, hashtext($1)) AS taken`;
const OWNER = `SELECT pid, application_name AS name, backend_start AS since, state_change AS heard
  FROM pg_stat_activity JOIN pg_locks USING (pid)
  WHERE locktype = 'advisory' AND classid = ${NODE_LOCK} AND objid = hashtext($1)::bit(32)::bigint::oid AND objsubid = 2 AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
/** PostgreSQL cuts longer names. */
const NAME_CHARACTERS_MAX = 63;
const UNDEFINED_TABLE = '42P01';

/** Reads what the database knows of a node's journal. Waits for the server. */
export async function readPostgresNotes(url: string, place: string, wait: ServerWait): Promise<JournalNotes> {
  const address = parsePostgresAddress(url);
  return await untilServerAnswers(async () => {
    await refuseTransactionPooler(address);
    const client = await connectNode(address);
    try {
      return await readNotes(client, place);
    } finally {
      await closeQuietly(client);
    }
  }, wait);
}

async function readNotes(client: Client, place: string): Promise<JournalNotes> {
  const names = 'SELECT name, value FROM settings WHERE name = ANY ($1)';
  try {
    const found = await client.query<{ name: string; value: string }>(names, [journalSettings(place)]);
    return parseJournalNotes(new Map(found.rows.map(({ name, value }) => [name, value])), place);
  } catch (error) {
    // A new database.
    if (error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE)
      return parseJournalNotes(new Map(), place);
    throw translateError(error);
  }
}

/**
 * Makes this process the only one that is a node: it holds a lock that ends with its connection, and takes it again after
 * each loss of the connection. Throws `conflict` naming the present one.
 */
export async function lockPostgresNode(url: string, journalId: string, options: NodeLockOptions): Promise<NodeLock> {
  const lock = new PostgresNodeLock(parsePostgresAddress(url), journalId, options);
  await lock.open();
  return lock;
}

class PostgresNodeLock implements NodeLock {
  readonly #address: PoolConfig;
  readonly #journalId: string;
  readonly #options: NodeLockOptions;
  readonly #released = new AbortController();
  #client: Client | null = null;

  constructor(address: PoolConfig, journalId: string, options: NodeLockOptions) {
    this.#address = address;
    this.#journalId = journalId;
    this.#options = options;
  }

  async open(): Promise<void> {
    const { waitMsMax, onWait } = this.#options;
    await untilServerAnswers(async () => {
      // Before the lock, which a pooler would keep for its next client.
      await refuseTransactionPooler(this.#address);
      await this.#take({ waitMsMax: Math.max(TAKE_MS_MAX, Math.min(waitMsMax, TAKE_LONG_MS_MAX)), onWait });
    }, this.#options);
  }

  async release(): Promise<void> {
    this.#released.abort();
    const client = this.#client;
    this.#client = null;
    if (client) await closeQuietly(client);
  }

  async #take(wait: Pick<TakeWait, 'waitMsMax' | 'onWait'>): Promise<void> {
    const { signal: stop } = this.#options;
    const { signal: released } = this.#released;
    const signal = stop ? AbortSignal.any([released, stop]) : released;
    const client = await connectNode(this.#address);
    try {
      await takeLock(client, this.#journalId, { ...wait, signal });
    } catch (error) {
      await closeQuietly(client);
      throw translateError(error);
    }
    if (released.aborted) return await closeQuietly(client);
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
        return await this.#take({ waitMsMax: TAKE_LONG_MS_MAX });
      } catch (error) {
        if (this.#released.signal.aborted) return;
        if (error instanceof TollbookError && error.type === 'conflict') return this.#options.onLost(error.message);
        await pauseUnlessAborted(RETRY_MS, this.#released.signal);
      }
    }
  }
}

async function connectNode(address: PoolConfig): Promise<Client> {
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
  const clients = [await connectNode(address), await connectNode(address)];
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

interface TakeWait {
  readonly waitMsMax: number;
  readonly signal: AbortSignal;
  /** Called once, with the reason, when it takes longer. */
  readonly onWait?: ((reason: string) => void) | undefined;
}

/**
 * Takes the lock of a node. A dead process may seem to have it until the server finds that it is gone, so this waits, unless
 * the owner is heard of.
 */
async function takeLock(client: Client, journalId: string, { waitMsMax, signal, onWait }: TakeWait): Promise<void> {
  const start = performance.now();
  let first: LockOwner | null = null;
  for (let isLong = false; ;) {
    const { rows } = await client.query<{ taken: boolean }>(TAKE, [journalId]);
    if (rows[0]?.taken) return;
    const owner = await readOwner(client, journalId);
    const waited = performance.now() - start;
    first ??= owner;
    const isOver = waited >= waitMsMax || (waited >= TAKE_MS_MAX && owner !== null && isAlive(owner, first));
    if (isOver || signal.aborted) throw ownedByAnother(owner);
    if (waited >= TAKE_MS_MAX && !isLong) onWait?.(`This node seems to run as ${describeOwner(owner)}.`);
    isLong = waited >= TAKE_MS_MAX;
    await pauseUnlessAborted(RETRY_MS, signal);
  }
}

/** Connection that has the lock of a node. */
interface LockOwner {
  readonly pid: number;
  readonly name: string;
  readonly since: Date;
  /** Time of its last statement. */
  readonly heard: Date;
}

/** Returns null if the lock became free meanwhile. */
async function readOwner(client: Client, journalId: string): Promise<LockOwner | null> {
  return (await client.query<LockOwner>(OWNER, [journalId])).rows[0] ?? null;
}

/** Reports whether an owner has said something since it was first seen, or is another process of this machine that runs. */
function isAlive(owner: LockOwner, first: LockOwner | null): boolean {
  if (first && (owner.pid !== first.pid || owner.heard > first.heard)) return true;
  const { pid, host } = parseOwner(owner);
  // In a container, the process before had the same number.
  return host === hostname() && pid !== process.pid && isRunning(pid);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function parseOwner(owner: LockOwner | null): { readonly pid: number; readonly host: string | null } {
  const [, pid, host = null] = /^tollbook (\d+) (.+)$/.exec(owner?.name ?? '') ?? [];
  return { pid: Number(pid), host };
}

function describeOwner(owner: LockOwner | null): string {
  const { pid, host } = parseOwner(owner);
  const process = host === null ? 'another process' : `process ${pid} on ${host}`;
  return owner ? `${process} since ${owner.since.toISOString()}` : process;
}

function ownedByAnother(owner: LockOwner | null): TollbookError {
  return new TollbookError(
    'conflict',
    `The journal of this data folder is in use by ${describeOwner(owner)}, with the same database. The folder is a copy: give each node a ` +
      'folder of its own, which is empty at its first start.',
  );
}

async function closeQuietly(client: Client): Promise<void> {
  await client.end().catch(() => undefined);
}

async function pauseUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch(() => undefined);
}
