import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, temporaryDatabase } from '../../../test/support/postgres.ts';
import { openPostgresDatabase, type PostgresDatabase } from './postgres-database.ts';

async function open(url: string, connectionsMax = 5): Promise<PostgresDatabase> {
  const database = await openPostgresDatabase(url, connectionsMax);
  onTestFinished(() => database.close());
  return database;
}

/** Runs statements as superuser. */
async function run(url: string, ...statements: string[]): Promise<void> {
  const client = new Client(url);
  await client.connect();
  for (const statement of statements) await client.query(statement);
  await client.end();
}

function changed(url: string, changes: Partial<URL>): string {
  return Object.assign(new URL(url), changes).href;
}

test('several processes that open a new database concurrently migrate it once', async () => {
  const url = await temporaryDatabase();
  const opened = await Promise.all([1, 2, 3, 4].map(() => open(url, 1)));
  const { rows } = (await opened[0]?.pool.query({ text: 'SELECT name FROM kysely_migration' })) ?? {};
  expect(rows).toEqual([{ name: '001-first' }]);
});

test('a database of a newer version stops the start with a sentence', async () => {
  const url = await temporaryDatabase();
  await open(url);
  await run(url, "INSERT INTO kysely_migration VALUES ('999-future', '2031-01-01')");
  await expect(openPostgresDatabase(url, 1)).rejects.toThrow('written by a newer Tollbook (its step 999-future');
});

test("another program's tables in another schema change nothing", async () => {
  const url = await temporaryDatabase();
  await run(
    url,
    'CREATE SCHEMA other',
    'CREATE TABLE other.kysely_migration (name TEXT)',
    'CREATE TABLE other.users ()',
  );
  const { db } = await open(url);
  expect(await db.selectFrom('users').selectAll().execute()).toEqual([]);
});

test('a user who may not create tables gets an error with what to do', async () => {
  const url = await temporaryDatabase();
  const role = `reader_${new URL(url).pathname.slice(-12)}`;
  await run(url, `CREATE ROLE ${role} LOGIN`);
  onTestFinished(() => run(url, `DROP ROLE ${role}`));
  await expect(openPostgresDatabase(changed(url, { username: role }), 1)).rejects.toThrow(
    `ALTER DATABASE "${new URL(url).pathname.slice(1)}" OWNER TO "${role}"`,
  );
});

test('a schema with tables of another program is refused', async () => {
  const url = await temporaryDatabase();
  await run(url, 'CREATE TABLE invoices (id TEXT)');
  await expect(openPostgresDatabase(url, 1)).rejects.toThrow(
    'The schema "public" has tables of another program, for instance "invoices"',
  );
});

test.each([
  ['of another collation', "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' ENCODING 'UTF8'", 'collation ICU'],
  ['of another encoding', "ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'", 'encoding LATIN1'],
  ['without an encoding', "ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'", 'encoding SQL_ASCII'],
])('a database %s is refused with the command that creates the right one', async (_, options, sentence) => {
  const { url, drop } = await createDatabase();
  const name = `${new URL(url).pathname.slice(1)}_other`;
  await run(url, `CREATE DATABASE ${name} TEMPLATE template0 ${options}`);
  onTestFinished(async () => {
    await run(url, `DROP DATABASE ${name}`);
    await drop();
  });
  const refused = openPostgresDatabase(changed(url, { pathname: name }), 1);
  await expect(refused).rejects.toThrow(sentence);
  await expect(refused).rejects.toThrow(
    "CREATE DATABASE tollbook TEMPLATE template0 ENCODING 'UTF8' LOCALE_PROVIDER libc LC_COLLATE 'C'",
  );
});

test.each([
  ['a database that does not exist', { pathname: 'absent' }, 'has no database of the name'],
  ['a user that does not exist', { username: 'absent' }, 'refuses the user'],
  ['a port where nothing listens', { port: '1' }, "can't be reached (connect ECONNREFUSED"],
])('%s is named, without the password', async (_, changes, sentence) => {
  const url = changed(await temporaryDatabase(), { password: 'hidden-part', ...changes });
  const refused = openPostgresDatabase(url, 1);
  await expect(refused).rejects.toMatchObject({ type: 'unavailable' });
  await expect(refused).rejects.toThrow(sentence);
  await expect(refused).rejects.not.toThrow(/hidden-part/);
});

test('changes of records wait for each other, and reads never wait', async () => {
  const { db } = await open(await temporaryDatabase(), 2);
  const running = { now: 0, most: 0 };
  const change = () =>
    db.transaction().execute(async (tx) => {
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      await tx.selectFrom('settings').selectAll().execute();
      // Outside the transaction, on another connection.
      await db.selectFrom('settings').selectAll().execute();
      running.now -= 1;
    });
  await Promise.all(Array.from({ length: 20 }, change));
  expect(running).toEqual({ now: 0, most: 1 });
});

test('a change that fails at its commit is undone, and the next one runs', async () => {
  const { db, pool } = await open(await temporaryDatabase(), 1);
  await pool.query({ text: 'CREATE TABLE doomed (parent TEXT REFERENCES workspaces DEFERRABLE INITIALLY DEFERRED)' });
  const failing = db.transaction().execute(async (tx) => {
    await tx.insertInto('settings').values({ name: 'a', value: '1' }).execute();
    await tx
      .insertInto('doomed' as 'settings')
      .values({ parent: 'absent' } as never)
      .execute();
  });
  await expect(failing).rejects.toThrow('violates foreign key constraint');
  await db.transaction().execute((tx) => tx.insertInto('settings').values({ name: 'b', value: '2' }).execute());
  expect(await db.selectFrom('settings').select('name').execute()).toEqual([{ name: 'b' }]);
});

test('an empty list matches nothing', async () => {
  const { db } = await open(await temporaryDatabase(), 1);
  expect(await db.selectFrom('settings').selectAll().where('name', 'in', []).execute()).toEqual([]);
});
