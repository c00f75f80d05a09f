import { TollbookError } from '../../domain/errors.ts';
import { readSqlState } from './postgres-errors.ts';
import type { PostgresQueries } from './postgres-pool.ts';

const VERSION_MIN = 150_000;
const LOCALE = "ENCODING 'UTF8' LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'";
/** Orders text by its bytes, as SQLite and JavaScript's operators do. */
const COLLATIONS: ReadonlySet<string> = new Set(['C', 'POSIX', 'C.UTF-8', 'C.utf8']);

const VERSION = `SELECT current_setting('server_version') AS version,
  current_setting('server_version_num')::integer AS number`;
const FACTS = `SELECT current_database() AS database, current_user AS "user", current_schema() AS schema,
  pg_is_in_recovery()::integer AS standby,
  coalesce(has_schema_privilege(current_schema(), 'CREATE'), false)::integer AS "mayCreate",
  pg_encoding_to_char(encoding) AS encoding, datcollate AS collation, datlocprovider AS provider
  FROM pg_database WHERE datname = current_database()`;

interface ServerFacts {
  readonly database: string;
  readonly user: string;
  /** null = the search path has no schema that exists. */
  readonly schema: string | null;
  readonly standby: number;
  readonly mayCreate: number;
  readonly encoding: string;
  readonly collation: string;
  /** `c`: the system's; `i`: ICU; `b`: PostgreSQL's own, which all order text by its bytes. */
  readonly provider: string;
}

/**
 * Checks that the database can hold a ledger. Returns its schema. Throws `unavailable` with what to do: about the address,
 * the server's version, rights, or how the database was created.
 */
export async function checkServer(queries: PostgresQueries): Promise<string> {
  // Older versions lack columns of the second query.
  const { version, number } = await readServerRow<{ version: string; number: number }>(queries, VERSION);
  if (number < VERSION_MIN) throw unusable(`PostgreSQL ${version} is too old: Tollbook needs version 15 or later.`);
  const facts = await readServerRow<ServerFacts>(queries, FACTS);
  const { database, user, schema, standby, mayCreate, encoding, provider } = facts;
  if (standby) throw unusable('SVC_DATABASE_URL leads to a standby, which takes no changes. Name the primary server.');
  const collation = provider === 'i' ? 'ICU' : facts.collation;
  if (encoding !== 'UTF8' || (provider !== 'b' && !COLLATIONS.has(collation)))
    throw unusable(
      `The database ${quoted(database)} has encoding ${encoding} and collation ${collation}, and Tollbook needs UTF8 and C. ` +
        `Create another one: CREATE DATABASE tollbook TEMPLATE template0 ${LOCALE} OWNER ${quoted(user)}`,
    );
  if (schema === null || !mayCreate)
    throw unusable(
      `The user ${quoted(user)} may not create tables in the database ${quoted(database)}. ` +
        `Make it the owner: ALTER DATABASE ${quoted(database)} OWNER TO ${quoted(user)}`,
    );
  return schema;
}

async function readServerRow<Row>(queries: PostgresQueries, text: string): Promise<Row> {
  try {
    const { rows } = await queries.query({ text });
    return rows[0] as Row;
  } catch (error) {
    throw startError(error);
  }
}

const FIRST_TABLE = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p')
    AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')
  ORDER BY relname = $2 DESC, relname LIMIT 1`;

/**
 * Checks that a schema is empty or has tables of Tollbook. Throws `unavailable` if another program uses it.
 * @param migrationTable table that is there since the first migration
 */
export async function refuseOtherTables(
  queries: PostgresQueries,
  schema: string,
  migrationTable: string,
): Promise<void> {
  const { rows } = await queries.query({ text: FIRST_TABLE, values: [quoted(schema), migrationTable] });
  const name = rows[0]?.['name'] as string | undefined;
  if (name === undefined || name === migrationTable) return;
  throw unusable(
    `The schema ${quoted(schema)} has tables of another program, for instance ${quoted(name)}. ` +
      `Give Tollbook a database for itself: CREATE DATABASE tollbook TEMPLATE template0 ${LOCALE}`,
  );
}

const START_ERRORS: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password in SVC_DATABASE_URL',
  '28000': 'refuses the user in SVC_DATABASE_URL, or the way it connects (pg_hba.conf)',
  '3D000': 'has no database of the name in SVC_DATABASE_URL',
  '42501': 'gives the user in SVC_DATABASE_URL too few rights',
};

/** Errors of the driver and of Node's TLS, in which no SQLSTATE says what is wrong. */
const START_PROBLEMS: readonly (readonly [problem: RegExp, sentence: string])[] = [
  [/client password must be a (?:non-empty )?string/, 'PostgreSQL asks for a password, and SVC_DATABASE_URL has none.'],
  [
    /server does not support SSL/,
    'PostgreSQL does not encrypt connections, and sslmode in SVC_DATABASE_URL requires it.',
  ],
  [
    /^\S*(?:CERT|SIGNATURE|ERR_TLS)/,
    "The certificate of PostgreSQL is not trusted (%s). Name its CA's file in SVC_DATABASE_URL: ?sslmode=verify-full&sslrootcert=/path/to/ca.pem",
  ],
];

/** Says of an error at the start which part of the address is wrong. */
export function startError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const sentence = START_ERRORS[readSqlState(error) ?? ''];
  if (sentence !== undefined) return unusable(`PostgreSQL ${sentence} (${rootCause(error).message}).`);
  const cause = rootCause(error);
  const code = 'code' in cause ? String(cause.code) : '';
  const problem = START_PROBLEMS.find(([pattern]) => pattern.test(`${code} ${cause.message}`));
  return problem ? unusable(problem[1].replace('%s', cause.message)) : error;
}

function rootCause(error: Error): Error {
  return error instanceof TollbookError && error.cause instanceof Error ? error.cause : error;
}

function unusable(sentence: string): TollbookError {
  return new TollbookError('unavailable', sentence, 'SVC_DATABASE_URL');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
