import { MEASURE_COLUMNS } from '../totals.ts';
import type { ClickhouseConnection } from './clickhouse-connection.ts';

const MEASURES = MEASURE_COLUMNS.map((column) => `${column} Int64`).join(',\n  ');

/**
 * Calls and their corrections. `correction` is 0 for a call, else the number of the correction, whose measures are
 * differences. So the sum of a measure over all rows is its effective figure. Money is in nano-dollars. A row is part of
 * the ledger once PostgreSQL's mark of `journal` has reached `position`; of several with one key, the highest `id` counts.
 */
const ENTRIES = `CREATE TABLE IF NOT EXISTS entries (
  workspace LowCardinality(String),
  started_at Int64 CODEC(Delta, ZSTD),
  started DateTime64(3, 'UTC') ALIAS fromUnixTimestamp64Milli(started_at, 'UTC'),
  call_id String CODEC(ZSTD),
  correction Int64,
  id Int64 CODEC(Delta, ZSTD),
  journal LowCardinality(String),
  position Int64 CODEC(Delta, ZSTD),
  ended_at Int64 CODEC(Delta, ZSTD),
  sent UInt8,
  source LowCardinality(String),
  key LowCardinality(String),
  provider LowCardinality(String),
  operation LowCardinality(String),
  requested_model LowCardinality(Nullable(String)),
  model LowCardinality(Nullable(String)),
  summed_model LowCardinality(Nullable(String)),
  stream UInt8,
  outcome LowCardinality(String),
  uncertain_reason LowCardinality(Nullable(String)),
  status Int32,
  usage_source LowCardinality(String),
  provenance LowCardinality(Nullable(String)),
  ${MEASURES},
  tags Map(LowCardinality(String), String),
  session Nullable(String),
  session_hash Nullable(String),
  agent Nullable(String),
  parent_agent Nullable(String),
  run Nullable(String),
  request_class LowCardinality(Nullable(String)),
  request_id Nullable(String),
  response_id Nullable(String),
  cost_after Nullable(Int64),
  detail String CODEC(ZSTD),
  INDEX by_call call_id TYPE minmax GRANULARITY 1,
  INDEX by_end ended_at TYPE minmax GRANULARITY 1,
  INDEX by_request request_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_response response_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_session session TYPE bloom_filter(0.01) GRANULARITY 1
) ENGINE = ReplacingMergeTree(id)
PARTITION BY toYYYYMM(fromUnixTimestamp64Milli(started_at, 'UTC'))
ORDER BY (workspace, started_at, call_id, correction)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

/** Id of the ledger that the entries belong to. */
const LEDGER = 'CREATE TABLE IF NOT EXISTS ledger (id String) ENGINE = ReplacingMergeTree ORDER BY id';

/** Steps in order; a released one is never edited. Each may be repeated, since ClickHouse has no transactions. */
const STEPS: readonly string[] = [ENTRIES, LEDGER];

/** Brings the database to the current schema. Several processes may do so concurrently. */
export async function migrateClickhouse(connection: ClickhouseConnection): Promise<void> {
  for (const step of STEPS) await connection.command(step);
}
