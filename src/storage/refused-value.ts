import { TollbookError } from '../domain/errors.ts';

/** SQLite result codes (low byte) about a value: TOOBIG, CONSTRAINT, MISMATCH, RANGE. */
const SQLITE_CODES: ReadonlySet<number> = new Set([18, 19, 20, 25]);
const SQL_STATE = /^[0-9A-Z]{5}$/;
/** Classes of PostgreSQL's errors about a value: data, constraints, limits such as the length of an index entry. */
const VALUE_STATES = /^(?:22|23|54)/;

/**
 * Returns true if a store refused a value, so that trying again can't help; false for an error of the database itself.
 * Errors of other code are taken for the first: it could not make a row of the value.
 */
export function isRefusedValue(error: unknown): error is Error {
  if (!(error instanceof Error) || error instanceof TollbookError) return false;
  if ('errcode' in error) return typeof error.errcode === 'number' && SQLITE_CODES.has(error.errcode & 0xff);
  const code = 'code' in error ? String(error.code) : '';
  return !SQL_STATE.test(code) || VALUE_STATES.test(code);
}
