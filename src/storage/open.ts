import { requirePostgres } from './database-address.ts';
import type { EngineOptions, StorageEngine } from './engine.ts';
import { openSqliteEngine } from './sqlite/sqlite-engine.ts';

/** Opens the engine for the address. Throws `invalid` if no engine serves it. */
export async function openEngine(options: EngineOptions): Promise<StorageEngine> {
  if (options.databaseUrl === null) return await openSqliteEngine(options);
  requirePostgres(options.databaseUrl);
  // Loaded only where it is used, as all of its driver.
  const { openPostgresEngine } = await import('./postgres/postgres-engine.ts');
  return await openPostgresEngine(options.databaseUrl, options);
}
