import { expect, onTestFinished, test } from 'vitest';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import {
  newKey,
  newLimit,
  rateCard,
  temporaryFolder,
  TEST_NOW,
  TEST_SECRET,
} from '../../../test/support/temporary-records.ts';
import type { RecordChange } from '../change-feed.ts';
import { DEFAULT_WORKSPACE } from '../records/context.ts';
import { openRecords, type Records } from '../records/records.ts';
import { PostgresChanges } from './postgres-changes.ts';
import { openPostgresDatabase, type PostgresDatabase } from './postgres-database.ts';
import type { PostgresConnection } from './postgres-pool.ts';

interface Node extends PostgresDatabase {
  readonly records: Records;
  readonly feed: PostgresChanges;
}

async function openNode(url: string): Promise<Node> {
  const database = await openPostgresDatabase(url, 5);
  const feed = new PostgresChanges(database.pool, url);
  onTestFinished(async () => {
    await feed.close();
    await database.close();
  });
  const clock = (): number => TEST_NOW;
  const options = { dataDir: temporaryFolder(), secret: TEST_SECRET, shared: true, clock };
  return { ...database, feed, records: await openRecords({ db: database.db, ...options }) };
}

function names(changes: readonly RecordChange[] | null): string[] | undefined {
  return changes?.map(({ kind, ref }) => `${kind} ${ref}`);
}

/** Writes a document in a transaction that is not committed yet. */
async function writeDocument(connection: PostgresConnection, name: string): Promise<void> {
  await connection.query({ text: 'BEGIN' });
  await connection.query({ text: 'INSERT INTO settings VALUES ($1, $2)', values: [`document.${name}`, ''] });
}

test('each change of a record that other nodes hold in memory is in the feed', async () => {
  const { records, feed } = await openNode(await temporaryDatabase());
  const start = await feed.last();
  const { key } = await records.keys.create(newKey('a'), 'owner');
  await records.keys.revoke(DEFAULT_WORKSPACE, key.id, 'owner');
  const limit = await records.limits.create(newLimit(), 'owner');
  await records.limits.remove(DEFAULT_WORKSPACE, limit.id, 'owner');
  const { hash } = await records.tokens.create(
    { workspaceId: DEFAULT_WORKSPACE, name: 't', scopes: ['usage:read'], expiresAt: null },
    'owner',
  );
  await records.prices.set(DEFAULT_WORKSPACE, rateCard('m'), 'owner');
  await records.providers.add({ id: 'own', name: 'Own', url: 'http://127.0.0.1:1', priceProvider: null }, 'owner');
  await records.workspaces.update(DEFAULT_WORKSPACE, { timeZone: 'Europe/Berlin' }, 'owner');
  const changes = (await feed.since(start, 100)) ?? [];
  expect(names(changes)).toEqual([
    `key ${key.id}`,
    `key ${key.id}`,
    `limit ${limit.id}`,
    `limit ${limit.id}`,
    `token ${hash}`,
    expect.stringMatching(/^prices /),
    'document document.providers.json',
    `zone ${DEFAULT_WORKSPACE}`,
  ]);
  expect(changes[0]?.workspaceId).toBe(DEFAULT_WORKSPACE);
});

test('a replaced provider key is in the feed as a change of each wrapped key that uses it', async () => {
  const { records, feed } = await openNode(await temporaryDatabase());
  const first = await records.keys.create(newKey('a'), 'owner');
  const source = { providerKeyOf: first.key.id };
  const second = await records.keys.create(newKey('b', { source }), 'owner');
  const start = await feed.last();
  await records.keys.replaceProviderKey(
    DEFAULT_WORKSPACE,
    first.key.id,
    'sk-ant-api03-other-0123456789abcdef',
    'owner',
  );
  const changed = new Set(names(await feed.since(start, 100)));
  expect(changed).toEqual(new Set([`key ${first.key.id}`, `key ${second.key.id}`]));
});

test('a change that is undone is not in the feed', async () => {
  const { pool, feed } = await openNode(await temporaryDatabase());
  const start = await feed.last();
  const connection = await pool.connect();
  await writeDocument(connection, 'a');
  await connection.query({ text: 'ROLLBACK' });
  connection.release();
  expect(await feed.since(start, 100)).toEqual([]);
});

test('a change that is committed later has a later place, whichever transaction began first', async () => {
  const { pool, feed } = await openNode(await temporaryDatabase());
  const start = await feed.last();
  const [slow, fast] = [await pool.connect(), await pool.connect()];
  await writeDocument(slow, 'slow');
  await writeDocument(fast, 'fast');
  await fast.query({ text: 'COMMIT' });
  const [read] = (await feed.since(start, 100)) ?? [];
  expect(read?.ref).toBe('document.fast');
  await slow.query({ text: 'COMMIT' });
  expect(read && names(await feed.since(read, 100))).toEqual(['document document.slow']);
  for (const connection of [slow, fast]) connection.release();
});

test('a transaction that has a place but is not committed holds up those after it, so that no reader passes it', async () => {
  const { pool, feed } = await openNode(await temporaryDatabase());
  const start = await feed.last();
  const [slow, fast] = [await pool.connect(), await pool.connect()];
  await writeDocument(slow, 'slow');
  await slow.query({ text: 'SET CONSTRAINTS ALL IMMEDIATE' });
  await writeDocument(fast, 'fast');
  const committed = fast.query({ text: 'COMMIT' });
  const isWaiting = async (): Promise<number> =>
    (await pool.query({ text: "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted" })).rows.length;
  await expect.poll(isWaiting).toBe(1);
  expect(await feed.since(start, 100)).toEqual([]);
  await slow.query({ text: 'COMMIT' });
  await committed;
  expect(names(await feed.since(start, 100))).toEqual(['document document.slow', 'document document.fast']);
  for (const connection of [slow, fast]) connection.release();
});

test('a reader whose place was deleted, or taken by another change after a failover, gets null', async () => {
  const { db, pool, feed } = await openNode(await temporaryDatabase());
  const start = await feed.last();
  const write = async (name: string): Promise<void> => {
    await db
      .insertInto('settings')
      .values({ name: `document.${name}`, value: '' })
      .execute();
  };
  for (const name of ['a', 'b', 'c']) await write(name);
  const [a, b, c] = (await feed.since(start, 100)) ?? [];
  if (!a || !b || !c) throw new Error('missing');
  const inAnHour = Math.ceil(c.at / 1_000) + 3_600_000;
  expect([await feed.prune(inAnHour, 1), await feed.prune(inAnHour, 100), await feed.prune(inAnHour, 100)]).toEqual([
    1, 2, 0,
  ]);
  expect([await feed.since(start, 9), await feed.since(a, 9), await feed.since(b, 9)]).toEqual([null, null, null]);
  expect(await feed.since(c, 9)).toEqual([]);
  await pool.query({ text: 'UPDATE changes SET at = at + 1' });
  expect(await feed.since(c, 9)).toBeNull();
});

test('a listener hears of each commit, also after its connection was ended', async () => {
  const url = await temporaryDatabase();
  const [first, second] = [await openNode(url), await openNode(url)];
  const heard = { changes: 0, recorded: 0 };
  second.feed.listen({
    changed: () => (heard.changes += 1),
    news: ({ recorded }) => (heard.recorded += recorded),
    recalled: () => {},
  });
  await expect.poll(() => heard.changes).toBe(1);
  await first.records.limits.create(newLimit(), 'owner');
  await expect.poll(() => heard.changes).toBe(2);
  const news = { workspaceId: DEFAULT_WORKSPACE, recorded: 3, ids: ['call_1'], refused: 0 };
  await second.feed.announce({ ...news, recorded: 100 });
  await first.pool.query({ text: "SELECT pg_notify('tollbook_news', 'not ours')" });
  await first.feed.announce(news);
  await expect.poll(() => heard.recorded).toBe(3);
  const end =
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND pid <> pg_backend_pid()";
  await first.pool.query({ text: end });
  await expect.poll(() => heard.changes, { timeout: 10_000 }).toBe(3);
  await first.records.limits.create(newLimit({ unit: 'calls', amount: 5 }), 'owner');
  await expect.poll(() => heard.changes).toBe(4);
});
