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

/** Value of a parameter `{name:Type}`. */
type ClickhouseValue = string | number | readonly string[] | readonly number[];
export type ClickhouseParameters = Readonly<Record<string, ClickhouseValue>>;

/** Talks to one ClickHouse database. Rows have integers as numbers, so sums must be selected as text. */
export class ClickhouseConnection {
  readonly #client: ClickHouseClient;

  constructor(address: string) {
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
        // Each insert is confirmed when it is stored, and not collected with others.
        async_insert: 0,
        // An insert of one batch may have entries of many months.
        max_partitions_per_insert_block: '0',
      },
    });
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
    await withSentence(() => this.#client.insert({ table, values: rows, format: 'JSONEachRow' }));
  }

  async command(sql: string, parameters: ClickhouseParameters = {}): Promise<void> {
    await withSentence(() => this.#client.command({ query: sql, query_params: parameters }));
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}

/** Errors of the server after which a later try may do better: too many queries or parts, no memory, a timeout. */
const BUSY: ReadonlySet<string> = new Set(['159', '202', '209', '210', '241', '242', '243', '252', '439']);

async function withSentence<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error instanceof ClickHouseError && !BUSY.has(error.code)) throw error;
    const what = error instanceof ClickHouseError ? 'is busy' : "can't be reached";
    const sentence = `ClickHouse ${what} (${error.message.replace(/\.\s*$/, '')}). Try again.`;
    const translated = new TollbookError('unavailable', sentence, undefined, { retryAfter: RETRY_SECONDS });
    translated.cause = error;
    throw translated;
  }
}
