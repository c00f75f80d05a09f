import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { TollbookError } from '../../domain/errors.ts';
import type { ResultRow } from '../sql/result-row.ts';
import { parseClickhouseAddress } from './clickhouse-address.ts';

/** Time for one query or insert. PostgreSQL ends a transaction that does nothing for 15 s, and this one waits inside it. */
const ANSWER_MS_MAX = 12_000;
const QUERY_SECONDS_MAX = 10;
const CONNECTIONS_MAX = 10;
/** Seconds after which a request may be repeated that ClickHouse could not answer. */
const RETRY_SECONDS = 1;

const VERSION_MIN = { major: 25, minor: 3 };

/** Value of a parameter `{name:Type}`. */
type ClickhouseValue = string | number | readonly string[] | readonly number[];
export type ClickhouseParameters = Readonly<Record<string, ClickhouseValue>>;

/** Talks to one ClickHouse database. Rows have integers as numbers, so sums must be selected as text. */
export class ClickhouseConnection {
  readonly #client: ClickHouseClient;
  readonly #prepare: ((connection: ClickhouseConnection) => Promise<void>) | null;
  /** null = it did not succeed yet. */
  #prepared: Promise<void> | null = null;

  /** @param prepare runs once before the first question of a ledger; again after a failure. Default: nothing. */
  constructor(address: string, prepare: ((connection: ClickhouseConnection) => Promise<void>) | null = null) {
    this.#prepare = prepare;
    this.#client = createClient({
      ...parseClickhouseAddress(address),
      application: 'tollbook',
      request_timeout: ANSWER_MS_MAX,
      max_open_connections: CONNECTIONS_MAX,
      // Errors are thrown, with a sentence.
      log: { level: ClickHouseLogLevel.OFF },
      clickhouse_settings: {
        max_execution_time: QUERY_SECONDS_MAX,
        output_format_json_quote_64bit_integers: 0,
        // A value that is missing is an error, never 0.
        input_format_null_as_default: 0,
        // Each insert is confirmed when it is stored, and not collected with others.
        async_insert: 0,
        // An insert of one batch may have entries of many months.
        max_partitions_per_insert_block: '0',
      },
    });
  }

  /** Prepares the database, if that was not done yet. */
  async prepare(): Promise<void> {
    if (this.#prepare === null) return;
    this.#prepared ??= this.#prepare(this);
    try {
      await this.#prepared;
    } catch (error) {
      this.#prepared = null;
      throw error;
    }
  }

  /** Throws `unavailable` if the server is too old. */
  async requireVersion(): Promise<void> {
    const [row] = await this.query('SELECT version() AS version');
    const version = String(row?.['version']);
    const [major = 0, minor = 0] = version.split('.').map(Number);
    if (major < VERSION_MIN.major || (major === VERSION_MIN.major && minor < VERSION_MIN.minor))
      throw clickhouseUnusable(
        `ClickHouse ${version} is too old: Tollbook needs version ${VERSION_MIN.major}.${VERSION_MIN.minor} or later.`,
      );
  }

  async query(sql: string, parameters: ClickhouseParameters = {}): Promise<readonly ResultRow[]> {
    return await withSentence(async () => {
      const result = await this.#client.query({ query: sql, query_params: parameters, format: 'JSONEachRow' });
      return await result.json<ResultRow>();
    });
  }

  /** Inserts rows in one block. Resolves when it is stored. */
  async insert(table: string, rows: readonly object[]): Promise<void> {
    if (rows.length === 0) return;
    await withSentence(() => this.#insert(table, rows));
  }

  async #insert(table: string, rows: readonly object[]): Promise<void> {
    try {
      await this.#client.insert({ table, values: rows, format: 'JSONEachRow' });
    } catch (error) {
      // Other errors are not about the rows, though the ledger would take them for it: the same rows may pass later.
      if (!(error instanceof ClickHouseError) || VALUE_ERRORS.has(error.code) || START_ERRORS[error.code]) throw error;
      throw new Error(error.message, { cause: error });
    }
  }

  async command(sql: string, parameters: ClickhouseParameters = {}): Promise<void> {
    await withSentence(() => this.#client.command({ query: sql, query_params: parameters }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Errors about a value of a row: it can't be parsed, or is no value of its column's type. */
const VALUE_ERRORS: ReadonlySet<string> = new Set(['6', '25', '26', '27', '41', '53', '69', '72', '117', '131', '349']);

/** Errors of the server after which a later try may do better: too many queries or parts, no memory, a timeout. */
const BUSY: ReadonlySet<string> = new Set(['159', '202', '209', '210', '241', '242', '243', '252', '439']);

const START_ERRORS: Readonly<Record<string, string>> = {
  '81': 'has no database of the name in SVC_CLICKHOUSE_URL',
  '192': 'refuses the user in SVC_CLICKHOUSE_URL',
  '193': 'refuses the password in SVC_CLICKHOUSE_URL',
  '497': 'gives the user in SVC_CLICKHOUSE_URL too few rights',
  '516': 'refuses the user or the password in SVC_CLICKHOUSE_URL',
};

/** Returns true for the translated error of a server that can't be reached now. */
export function isClickhouseAway(error: unknown): boolean {
  if (!(error instanceof TollbookError) || !(error.cause instanceof Error)) return false;
  return ![error.cause, error.cause.cause].some((cause) => cause instanceof ClickHouseError);
}

export function clickhouseUnusable(sentence: string): TollbookError {
  return new TollbookError('unavailable', sentence, 'SVC_CLICKHOUSE_URL');
}

async function withSentence<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const fault = error instanceof ClickHouseError ? START_ERRORS[error.code] : undefined;
    if (fault !== undefined) throw clickhouseUnusable(`ClickHouse ${fault}.`);
    if (error instanceof ClickHouseError && !BUSY.has(error.code)) throw error;
    const isBusy = error instanceof ClickHouseError;
    const what = isBusy ? 'is busy' : error.cause instanceof ClickHouseError ? 'fails' : "can't be reached";
    const sentence = `ClickHouse ${what} (${error.message.replace(/\.\s*$/, '')}). Try again.`;
    const translated = new TollbookError('unavailable', sentence, undefined, { retryAfter: RETRY_SECONDS });
    translated.cause = error;
    throw translated;
  }
}
