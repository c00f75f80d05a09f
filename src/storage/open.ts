import { TollbookError } from '../domain/errors.ts';
import { requirePostgres } from './database-address.ts';
import type { EngineOptions, StorageEngine } from './engine.ts';
import { openSqliteEngine } from './sqlite/sqlite-engine.ts';

/** Opens the engine for the address. Throws `invalid` if no engine serves it. */
export async function openEngine(options: EngineOptions): Promise<StorageEngine> {
  const { clickhouseUrl = null } = options;
  if (options.databaseUrl === null) {
    if (clickhouseUrl !== null) throw needsPostgres();
    return await openSqliteEngine(options);
  }
  requirePostgres(options.databaseUrl);
  // Loaded only where it is used, as all of its driver.
  const { openPostgresEngine } = await import('./postgres/postgres-engine.ts');
  if (clickhouseUrl === null) return await openPostgresEngine(options.databaseUrl, options);
  const { openClickhouseEngine } = await import('./clickhouse/clickhouse-engine.ts');
  return await openPostgresEngine(options.databaseUrl, options, (pool) => openClickhouseEngine(pool, clickhouseUrl));
}

function needsPostgres(): TollbookError {
  const sentence =
    'SVC_CLICKHOUSE_URL has calls only; PostgreSQL has the rest. Set SVC_DATABASE_URL to the address of a PostgreSQL database.';
  return new TollbookError('invalid', sentence, 'SVC_CLICKHOUSE_URL');
}
