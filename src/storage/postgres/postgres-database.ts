import { HandleEmptyInListsPlugin, Kysely, replaceWithNoncontingentExpression } from 'kysely';
import { DEFAULT_MIGRATION_TABLE } from 'kysely/migration';
import { migrate } from '../migrations/migrate.ts';
import { POSTGRES_MIGRATIONS } from '../migrations/postgres.ts';
import type { RecordTables } from '../records/tables.ts';
import { checkServer, refuseOtherTables } from './check-server.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { RecordDialect } from './record-dialect.ts';

export interface PostgresDatabase {
  readonly db: Kysely<RecordTables>;
  readonly pool: PostgresPool;
  close(): Promise<void>;
}

/**
 * Connects to the database and migrates it. Several processes may do so concurrently: one migrates, the others wait. Throws a
 * `TollbookError` that says what to do, without the address.
 */
export async function openPostgresDatabase(url: string, connectionsMax: number): Promise<PostgresDatabase> {
  const address = parsePostgresAddress(url);
  const patient = new PostgresPool(address, { connectionsMax: 1, patient: true });
  try {
    const schema = await checkServer(patient);
    await refuseOtherTables(patient, schema, DEFAULT_MIGRATION_TABLE);
    await migrate(openRecordDb(patient), POSTGRES_MIGRATIONS, schema);
  } finally {
    await patient.close();
  }
  const pool = new PostgresPool(address, { connectionsMax });
  const db = openRecordDb(pool);
  return {
    db,
    pool,
    async close() {
      await db.destroy();
      await pool.close();
    },
  };
}

function openRecordDb(pool: PostgresPool): Kysely<RecordTables> {
  // An empty list is a syntax error in PostgreSQL.
  const emptyLists = new HandleEmptyInListsPlugin({ strategy: replaceWithNoncontingentExpression });
  return new Kysely({ dialect: new RecordDialect(pool), plugins: [emptyLists] });
}
