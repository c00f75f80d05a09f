import { afterAll, afterEach } from 'vitest';
import { parsePostgresAddress } from '../../src/storage/postgres/postgres-address.ts';
import { PostgresPool } from '../../src/storage/postgres/postgres-pool.ts';
import { openPostgresStore } from '../../src/storage/postgres/postgres-store.ts';
import type { LedgerStore } from '../../src/storage/store.ts';
import { createDatabase, type TestDatabase } from './postgres.ts';
import { LEDGER_TEMPLATE } from './temporary-records.ts';

/** Deletes the rows of a few tables, which takes a tenth of the time of creating a database or truncating all. */
const EMPTY = `DO $$
  DECLARE t regclass; is_filled boolean;
  BEGIN
    FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
      AND NOT relispartition AND relname NOT LIKE 'kysely%'
    LOOP
      EXECUTE format('SELECT EXISTS (SELECT 1 FROM %s)', t) INTO is_filled;
      IF is_filled THEN EXECUTE format('DELETE FROM %s', t); END IF;
    END LOOP;
  END $$`;

interface OpenDatabase {
  readonly database: TestDatabase;
  readonly pool: PostgresPool;
}

/** Databases of this test file. */
const all: OpenDatabase[] = [];
/** Those that no store of the current test uses. */
const free: OpenDatabase[] = [];

async function create(): Promise<OpenDatabase> {
  const database = await createDatabase(LEDGER_TEMPLATE);
  const opened = { database, pool: new PostgresPool(parsePostgresAddress(database.url), { connectionsMax: 3 }) };
  all.push(opened);
  return opened;
}

async function takeEmpty(): Promise<OpenDatabase> {
  const opened = free.pop() ?? (await create());
  await opened.pool.query({ text: EMPTY });
  return opened;
}

afterEach(() => {
  free.length = 0;
  free.push(...all);
});

afterAll(async () => {
  for (const { pool, database } of all) {
    await pool.close();
    await database.drop();
  }
});

interface EmptyPostgres {
  readonly pool: PostgresPool;
  /** Lets the next store use the database. */
  release(): void;
}

/** Returns a pool on an empty ledger. */
export async function takeEmptyPostgres(): Promise<EmptyPostgres> {
  const opened = await takeEmpty();
  return {
    pool: opened.pool,
    release() {
      if (!free.includes(opened)) free.push(opened);
    },
  };
}

/** Returns an empty store on PostgreSQL. Closing it lets the next one use its database. */
export async function emptyPostgresStore(): Promise<LedgerStore> {
  const { pool, release } = await takeEmptyPostgres();
  const store = openPostgresStore(pool);
  const close = async (): Promise<void> => {
    await store.close();
    release();
  };
  return { ...store, close };
}
