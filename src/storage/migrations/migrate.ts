import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { TollbookError } from '../../core/errors.ts';
import { first } from './001-first.ts';

/** In order. A released migration is never edited: a change of the schema is a new file and a new line here. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '001-first': { up: first },
};

/**
 * Brings the schema up to date, all or nothing. Throws a `TollbookError` when the database was written by a newer
 * version, and changes nothing then.
 */
export async function migrate<T>(db: Kysely<T>): Promise<void> {
  await refuseNewerSchema(db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'the first step';
  throw new TollbookError(
    'unavailable',
    `The database could not be brought up to date (${failed}: ${messageOf(error)}). Nothing was changed.`,
  );
}

async function refuseNewerSchema<T>(db: Kysely<T>): Promise<void> {
  const table = await sql`SELECT 1 FROM sqlite_master WHERE name = 'kysely_migration'`.execute(db);
  if (table.rows.length === 0) return;
  const done = await sql<{ name: string }>`SELECT name FROM kysely_migration ORDER BY name`.execute(db);
  const unknown = done.rows.find(({ name }) => !Object.hasOwn(MIGRATIONS, name));
  if (unknown)
    throw new TollbookError(
      'unavailable',
      `The database was written by a newer Tollbook (its step ${unknown.name} is unknown here). ` +
        'Install that version again, or restore a backup made with this one.',
    );
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
