import { requirePostgres } from './database-address.ts';
import type { EngineOptions } from './engine.ts';
import type { NodeLock, NodeLockOptions } from './node-lock.ts';
import type { JournalNotes } from './records/journal.ts';
import { requireSharedSecret } from './require-secret.ts';
import type { ServerWait } from './server-wait.ts';
import { readJournalNotes } from './sqlite/last-journal.ts';

interface DatabasePlace extends Pick<EngineOptions, 'databaseUrl' | 'file'> {
  /** SVC_SECRET; null = not set. */
  readonly secret: string | null;
}

/**
 * Reads what a database knows of this node's journal before anything is opened, so that a missing one is not created again.
 * Waits for a server.
 * @param place distinguishes the notes of this journal from those of others
 */
export async function readKnownJournal(
  { databaseUrl, file, secret }: DatabasePlace,
  place: string,
  wait: ServerWait,
): Promise<JournalNotes> {
  if (databaseUrl === null) return readJournalNotes(file, place);
  requirePostgres(databaseUrl);
  // Before anything is written there.
  requireSharedSecret(secret);
  const { readPostgresNotes } = await import('./postgres/postgres-node-lock.ts');
  return await readPostgresNotes(databaseUrl, place, wait);
}

/** Makes this process the only one that is a node. Throws `conflict` naming the present one. */
export async function ownNode(
  { databaseUrl }: Pick<DatabasePlace, 'databaseUrl'>,
  journalId: string,
  options: NodeLockOptions,
): Promise<NodeLock> {
  // The owner of the folder owns the file.
  if (databaseUrl === null) return { release: async () => undefined };
  const { lockPostgresNode } = await import('./postgres/postgres-node-lock.ts');
  return await lockPostgresNode(databaseUrl, journalId, options);
}
