import { TollbookError } from '../domain/errors.ts';
import type { DatabaseOwner, OwnerOptions } from './database-owner.ts';
import type { EngineOptions, StorageEngine } from './engine.ts';
import { requireSharedSecret } from './records/master-secret.ts';
import { readJournalNotes } from './sqlite/last-journal.ts';
import { openSqliteEngine } from './sqlite/sqlite-engine.ts';

/** Opens the engine for the address. Throws `invalid` if no engine serves it. */
export async function openEngine(options: EngineOptions): Promise<StorageEngine> {
  if (options.databaseUrl === null) return await openSqliteEngine(options);
  requirePostgres(options.databaseUrl);
  // Loaded only where it is used, as all of its driver.
  const { openPostgresEngine } = await import('./postgres/postgres-engine.ts');
  return await openPostgresEngine(options.databaseUrl, options);
}

interface DatabasePlace extends Pick<EngineOptions, 'databaseUrl' | 'file'> {
  /** SVC_SECRET; null = not set. */
  readonly secret: string | null;
}

/** Makes this process the owner of a database. Throws `conflict` naming the current owner. */
export async function ownDatabase(
  { databaseUrl, file, secret }: DatabasePlace,
  options: OwnerOptions,
): Promise<DatabaseOwner> {
  // The owner of the folder owns the file.
  if (databaseUrl === null) return { journalNotes: async () => readJournalNotes(file), release: async () => undefined };
  requirePostgres(databaseUrl);
  // Before anything is written there.
  requireSharedSecret(secret);
  const { ownPostgresDatabase } = await import('./postgres/postgres-owner.ts');
  return await ownPostgresDatabase(databaseUrl, options);
}

function requirePostgres(address: string): void {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase() ?? 'unknown';
  if (scheme === 'postgres' || scheme === 'postgresql') return;
  // The address itself may hold a password.
  throw new TollbookError(
    'invalid',
    `SVC_DATABASE_URL is an address of the kind "${scheme}". Write postgres://user:password@host:5432/name for PostgreSQL, ` +
      'or leave it unset: the ledger is then a SQLite file in the data folder (SVC_DATA_DIR).',
    'SVC_DATABASE_URL',
  );
}
