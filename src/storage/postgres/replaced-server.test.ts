import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { entryOf, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { WORKSPACE } from '../../../test/support/filled-store.ts';
import { createDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import type { LedgerStore } from '../store.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { openPostgresStore } from './postgres-store.ts';

/** Runs statements on the server of a database, while nothing is connected to the database or its copy. */
async function runAlone(url: string, ...statements: string[]): Promise<void> {
  const client = new Client(Object.assign(new URL(url), { pathname: 'template1' }).href);
  await client.connect();
  const name = new URL(url).pathname.slice(1);
  const cut = 'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE starts_with(datname, $1)';
  for (const statement of statements) {
    await client.query(cut, [name]);
    await client.query(statement);
  }
  await client.end();
}

async function append(store: LedgerStore, mark: number, model: string): Promise<void> {
  const entries = [entryOf(`call_${model}`, { model, tags: { team: `of ${model}` } })];
  await store.entries.append({ journalId: 'one', mark, entries });
}

test('calls keep their names after another server took over that lacks the last names', async () => {
  const database = await createDatabase(LEDGER_TEMPLATE);
  onTestFinished(() => database.drop());
  const name = new URL(database.url).pathname.slice(1);
  onTestFinished(() => runAlone(database.url, `DROP DATABASE IF EXISTS ${name}_old`));
  const pool = new PostgresPool(parsePostgresAddress(database.url), { connectionsMax: 3 });
  onTestFinished(() => pool.close());
  const store = openPostgresStore(pool);
  await append(store, 1, 'first');
  await runAlone(database.url, `CREATE DATABASE ${name}_copy TEMPLATE ${name}`);
  await append(store, 2, 'lost');
  await runAlone(
    database.url,
    `ALTER DATABASE ${name} RENAME TO ${name}_old`,
    `ALTER DATABASE ${name}_copy RENAME TO ${name}`,
  );
  await append(store, 2, 'new');
  await append(store, 3, 'lost');
  const { byModel } = await store.reports.summary(WORKSPACE, WHOLE);
  expect([...byModel.keys()].toSorted()).toEqual(['first', 'lost', 'new']);
  const tags = await store.reports.byTag(WORKSPACE, 'team', WHOLE);
  expect(tags.map(({ value }) => value).toSorted()).toEqual(['of first', 'of lost', 'of new']);
});
