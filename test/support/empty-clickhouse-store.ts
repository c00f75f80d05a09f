import { afterAll, afterEach } from 'vitest';
import { ClickhouseConnection } from '../../src/storage/clickhouse/clickhouse-connection.ts';
import { migrateClickhouse } from '../../src/storage/clickhouse/clickhouse-schema.ts';
import { openClickhouseStore } from '../../src/storage/clickhouse/clickhouse-store.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import { createClickhouseDatabase } from './clickhouse.ts';
import { takeEmptyPostgres } from './empty-postgres-store.ts';

/** Connections of this test file to databases of their own. */
const all: ClickhouseConnection[] = [];
/** Connections that no store of the current test uses. */
const free: ClickhouseConnection[] = [];
const databases: { drop(): Promise<void> }[] = [];

async function takeEmptyClickhouse(): Promise<ClickhouseConnection> {
  const known = free.pop();
  if (known) {
    await known.command('TRUNCATE TABLE entries');
    return known;
  }
  const database = await createClickhouseDatabase();
  databases.push(database);
  const connection = new ClickhouseConnection(database.url);
  await migrateClickhouse(connection);
  all.push(connection);
  return connection;
}

afterEach(() => {
  free.length = 0;
  free.push(...all);
});

afterAll(async () => {
  for (const connection of all) await connection.close();
  for (const database of databases) await database.drop();
});

/** Returns an empty store with entries in ClickHouse. Closing it lets the next one use its databases. */
export async function emptyClickhouseStore(): Promise<LedgerStore> {
  const [{ pool, release }, connection] = [await takeEmptyPostgres(), await takeEmptyClickhouse()];
  const store = openClickhouseStore(pool, connection);
  const close = async (): Promise<void> => {
    await store.close();
    release();
    if (!free.includes(connection)) free.push(connection);
  };
  return { ...store, close };
}
