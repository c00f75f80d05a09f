import { Client } from 'pg';
import { createDatabase, type TestDatabase } from './postgres.ts';
import { TEST_SECRET } from './temporary-records.ts';

/** Database of a service. */
export interface ServiceDatabase {
  readonly settings: Readonly<Record<string, string>>;
  rows(sql: string): Promise<Readonly<Record<string, unknown>>[]>;
  drop(): Promise<void>;
}

/** Databases of the services that this test file has started, by data folder. */
const databases = new Map<string, Promise<TestDatabase>>();

/** Returns the PostgreSQL database for the services of a data folder, the same one at each start. */
export async function openServiceDatabase(dataDir: string): Promise<ServiceDatabase> {
  const created = databases.get(dataDir) ?? createDatabase();
  databases.set(dataDir, created);
  const { url, drop } = await created;
  return {
    settings: { SVC_DATABASE_URL: url, SVC_SECRET: TEST_SECRET },
    rows: (sql) => queryOnce(url, sql),
    async drop() {
      databases.delete(dataDir);
      await drop();
    },
  };
}

async function queryOnce(url: string, sql: string): Promise<Readonly<Record<string, unknown>>[]> {
  const client = new Client(url);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
