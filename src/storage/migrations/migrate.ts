import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, type Migration, Migrator } from 'kysely/migration';
import { TollbookError } from '../../domain/errors.ts';

/** Steps of one engine by name, each with the statements that it runs. */
export type MigrationSteps = Readonly<Record<string, readonly string[]>>;

/**
 * Brings the schema up to date, all or nothing. Throws a `TollbookError` and changes nothing if the database was
 * written by a newer version. `schema` names the part of the database that holds the tables; null = it has no parts.
 */
export async function migrate<T>(
  db: Kysely<T>,
  migrations: MigrationSteps,
  schema: string | null = null,
): Promise<void> {
  await refuseNewerSchema(db, migrations, schema);
  const steps = Object.fromEntries(Object.entries(migrations).map(([name, texts]) => [name, toMigration(texts)]));
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => steps },
    ...(schema !== null && { migrationTableSchema: schema }),
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const failed = results?.find((result) => result.status === 'Error')?.migrationName ?? 'the first step';
  throw new TollbookError(
    'unavailable',
    `The database could not be brought up to date (${failed}: ${errorMessage(error)}). Nothing was changed.`,
  );
}

function toMigration(statements: readonly string[]): Migration {
  return {
    async up(db) {
      for (const statement of statements) await sql.raw(statement).execute(db);
    },
  };
}

async function refuseNewerSchema<T>(db: Kysely<T>, migrations: MigrationSteps, schema: string | null): Promise<void> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const found = tables.some(
    (table) => table.name === DEFAULT_MIGRATION_TABLE && (schema === null || table.schema === schema),
  );
  if (!found) return;
  const table = sql.id(...(schema === null ? [] : [schema]), DEFAULT_MIGRATION_TABLE);
  const done = await sql<{ name: string }>`SELECT name FROM ${table} ORDER BY name`.execute(db);
  const unknown = done.rows.find(({ name }) => !Object.hasOwn(migrations, name));
  if (unknown)
    throw new TollbookError(
      'unavailable',
      `The database was written by a newer Tollbook (its step ${unknown.name} is unknown here). ` +
        'Install that version again, or restore a backup made with this one.',
    );
}

function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
