import { requirePostgres } from './database-address.ts';
import type { DatabaseOwner, OwnerOptions } from './database-owner.ts';
import type { EngineOptions } from './engine.ts';
import { requireSharedSecret } from './require-secret.ts';
import { readJournalNotes } from './sqlite/last-journal.ts';

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
