import { setTimeout } from 'node:timers/promises';
import { TollbookError } from '../../domain/errors.ts';
import { currentClaims, type JobClaim } from '../current-claims.ts';
import { breaksConnection, isRepeatable } from './postgres-errors.ts';
import type { PostgresConnection, PostgresPool, PostgresQueries } from './postgres-pool.ts';

/** Times that a transaction runs which others make fail. */
const ATTEMPTS_MAX = 5;
/** Wait before it runs again, multiplied by the attempts so far. */
const RETRY_MS = 5;

export interface TransactionOptions {
  /** Default: each statement sees what was committed before it. `snapshot`: all see the same. */
  readonly sees?: 'committed' | 'snapshot';
  readonly readOnly?: boolean;
  /** Number of an advisory lock to hold until the end. */
  readonly lock?: number;
  /** The same, with others that share it. */
  readonly sharedLock?: number;
}

/**
 * Runs `work` in a transaction and commits it. Runs it again if it fails because of other transactions, so `work` must
 * have no effect outside.
 */
export async function runTransaction<Result>(
  pool: PostgresPool,
  work: (queries: PostgresQueries) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await runOnce(pool, work, options);
    } catch (error) {
      if (!isRepeatable(error) || attempt === ATTEMPTS_MAX) throw error;
      await setTimeout(RETRY_MS * attempt);
    }
  }
}

async function runOnce<Result>(
  pool: PostgresPool,
  work: (queries: PostgresQueries) => Promise<Result>,
  options: TransactionOptions,
): Promise<Result> {
  const connection = await pool.connect();
  try {
    return await runOn(connection, work, options);
  } finally {
    connection.release();
  }
}

/** Runs `work` in a transaction on this connection, once. */
export async function runOn<Result>(
  connection: PostgresConnection,
  work: (queries: PostgresQueries) => Promise<Result>,
  options: TransactionOptions = {},
): Promise<Result> {
  await begin(connection, options);
  const result = await workOrRollBack(connection, work);
  await commit(connection);
  return result;
}

async function workOrRollBack<Result>(
  connection: PostgresConnection,
  work: (queries: PostgresQueries) => Promise<Result>,
): Promise<Result> {
  try {
    return await work(connection);
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

/**
 * Begins a transaction in one round trip, its lock included. In a job's writes, a second one checks that no other process
 * has taken over the job, and keeps it from doing so until the end; it throws `conflict` otherwise.
 */
export async function begin(
  connection: PostgresConnection,
  { sees = 'committed', readOnly = false, lock, sharedLock }: TransactionOptions = {},
): Promise<void> {
  // Named in full: an operator may have set other defaults.
  const isolation = sees === 'snapshot' ? 'REPEATABLE READ' : 'READ COMMITTED';
  const statements = [`BEGIN ISOLATION LEVEL ${isolation} READ ${readOnly ? 'ONLY' : 'WRITE'}`];
  if (lock !== undefined) statements.push(`SELECT pg_advisory_xact_lock(${lock})`);
  if (sharedLock !== undefined) statements.push(`SELECT pg_advisory_xact_lock_shared(${sharedLock})`);
  try {
    await connection.script(statements.join('; '));
    if (!readOnly) await keepClaims(connection, currentClaims());
  } catch (error) {
    await rollBack(connection);
    throw error;
  }
}

const KEEP_CLAIMS = `SELECT name FROM jobs WHERE (name, claimed_by) IN (SELECT * FROM unnest($1::text[], $2::text[]))
  ORDER BY name FOR SHARE`;

async function keepClaims(connection: PostgresConnection, claims: readonly JobClaim[]): Promise<void> {
  if (claims.length === 0) return;
  const values = [claims.map(({ name }) => name), claims.map(({ holder }) => holder)];
  const { rows } = await connection.query({ text: KEEP_CLAIMS, values });
  if (rows.length < claims.length)
    throw new TollbookError('conflict', 'Another process has taken over this job. Nothing was changed.');
}

/** Throws `unavailable` if it isn't known whether the server has committed. */
export async function commit(connection: PostgresConnection): Promise<void> {
  let command: string;
  try {
    ({ command } = await connection.query({ text: 'COMMIT' }));
  } catch (error) {
    throw breaksConnection(error) ? unknownOutcome(error) : error;
  }
  // A statement failed earlier, and the error was not passed on.
  if (command !== 'COMMIT') throw new Error('The transaction was undone, because one of its statements had failed.');
}

/** Errors are not thrown: they would hide the one that led here, and the server undoes what is not committed. */
export async function rollBack(connection: PostgresConnection): Promise<void> {
  await connection.query({ text: 'ROLLBACK' }).catch(() => connection.breakOff());
}

function unknownOutcome(cause: unknown): TollbookError {
  const error = new TollbookError(
    'unavailable',
    'The connection to PostgreSQL broke while it stored a change. Look whether it is stored before you repeat it.',
  );
  error.cause = cause;
  return error;
}
