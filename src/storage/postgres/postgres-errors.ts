import { DatabaseError } from 'pg';
import { TollbookError } from '../../domain/errors.ts';

/** Seconds after which a request may be repeated that PostgreSQL could not answer. */
const RETRY_SECONDS = 1;
const UNIQUE_VIOLATION = '23505';
/** Serialization failure, deadlock: the transaction was undone as a whole and may be repeated. */
const REPEATABLE: ReadonlySet<string> = new Set(['40001', '40P01']);
/** Statement timeout, lock timeout. */
const TIMED_OUT: ReadonlySet<string> = new Set(['57014', '55P03']);
/**
 * Classes of errors after which another connection may do better: connection exceptions, a user or database that is
 * refused, no resources left, and an operator who stops the server or ends what takes too long.
 */
const SERVER_AWAY = /^(?:08|25P0[34]|28|3D|53|57P)/;
const DISK_FULL = '53100';
/** The server has become a standby: a new connection may lead to the primary. */
const READ_ONLY = '25006';

/**
 * Returns the five characters by which PostgreSQL names an error, translated or not; null = the error is not the
 * server's.
 */
export function readSqlState(error: unknown): string | null {
  if (error instanceof DatabaseError) return error.code ?? null;
  return error instanceof TollbookError && error.cause ? readSqlState(error.cause) : null;
}

export function isRepeatable(error: unknown): boolean {
  return REPEATABLE.has(readSqlState(error) ?? '');
}

/** Returns true if the connection must not be used again. */
export function breaksConnection(error: unknown): boolean {
  const state = readSqlState(error);
  if (state === null) return !(error instanceof RangeError) && !(error instanceof TypeError);
  return state === READ_ONLY || /^(?:08|25P0[34]|57P)/.test(state);
}

/** Returns true for the translated error of a server that can't be reached now. */
export function isServerAway(error: unknown): boolean {
  if (!(error instanceof TollbookError) || !(error.cause instanceof Error)) return false;
  const state = readSqlState(error.cause);
  return state === null ? breaksConnection(error.cause) : SERVER_AWAY.test(state);
}

/**
 * Translates an error of the driver that a caller can do something about. Others, for instance of a wrong statement, stay
 * as they are.
 */
export function translateError(error: unknown): unknown {
  const isForeign = error instanceof Error && !(error instanceof TollbookError);
  const translated = isForeign ? translate(error) : null;
  if (!translated) return error;
  translated.cause = error;
  return translated;
}

function translate(error: Error): TollbookError | null {
  const state = readSqlState(error);
  if (state === UNIQUE_VIOLATION)
    return new TollbookError(
      'conflict',
      'Another change stored the same record first. Look at the current records, then try again.',
    );
  if (isRepeatable(error) || TIMED_OUT.has(state ?? ''))
    return unavailable('PostgreSQL is busy with other changes, and this one was undone.');
  if (state === READ_ONLY) return unavailable('PostgreSQL takes no changes: it is a standby or set to read only.');
  if (state === DISK_FULL) return unavailable('The disk of PostgreSQL is full.');
  if (state === null ? !breaksConnection(error) : !SERVER_AWAY.test(state)) return null;
  return unavailable(`PostgreSQL can't be reached (${describe(error)}).`);
}

function unavailable(sentence: string): TollbookError {
  return new TollbookError('unavailable', `${sentence} Try again.`, undefined, { retryAfter: RETRY_SECONDS });
}

/** Names the cause. Errors of the driver hold neither the address nor the password. */
function describe(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as unknown[]) : [];
  if (first instanceof Error) return describe(first);
  return error.message.replace(/\.$/, '');
}
