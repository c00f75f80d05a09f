import { setImmediate } from 'node:timers';
import { expect, test } from 'vitest';
import { entryOf, WHOLE } from '../../../test/support/arbitrary-entry.ts';
import { emptyDatabase } from '../../../test/support/empty-database.ts';
import { openSqliteStore } from './sqlite-store.ts';

const batch = { journalId: 'journal', mark: 5, entries: [entryOf('a')] };

test('a batch that fails half-way leaves no entry, sum, name or position', async () => {
  const db = emptyDatabase();
  const store = openSqliteStore(db);
  const entries = [entryOf('a', { model: 'new-model' }), entryOf('b', { startedAt: 0.5 })];
  await expect(store.entries.append({ journalId: 'journal', mark: 5, entries })).rejects.toThrow(/INTEGER/);
  expect(await store.entries.mark('journal')).toBe(0);
  expect(db.prepare('SELECT count(*) AS n FROM names').get()).toEqual({ n: 0 });
  expect((await store.reports.summary('ws_default', WHOLE)).total.calls).toBe(0);
  // Numbers of names that were undone are not used again for something else.
  await store.entries.append({ journalId: 'journal', mark: 5, entries: [entryOf('c', { model: 'other-model' })] });
  await store.entries.append({ journalId: 'journal', mark: 6, entries: [entryOf('a', { model: 'new-model' })] });
  expect([...(await store.reports.summary('ws_default', WHOLE)).byModel.keys()].toSorted()).toEqual([
    'new-model',
    'other-model',
  ]);
});

test("an append waits for another one's transaction on the same connection and is not undone with it", async () => {
  const db = emptyDatabase();
  db.exec('CREATE TABLE record (id INTEGER)');
  const store = openSqliteStore(db);
  db.exec('BEGIN; INSERT INTO record VALUES (1)');
  const appended = store.entries.append(batch);
  await new Promise((resolve) => setImmediate(resolve));
  expect(db.prepare('SELECT count(*) AS n FROM entries').get()).toEqual({ n: 0 });
  db.exec('ROLLBACK');
  expect(await appended).toMatchObject({ inserted: 1, overflowed: [] });
  expect(await store.entries.mark('journal')).toBe(5);
});

test('a transaction that never ends makes a write fail with a sentence instead of waiting forever', async () => {
  const db = emptyDatabase();
  const store = openSqliteStore(db);
  db.exec('BEGIN');
  await expect(store.entries.append(batch)).rejects.toMatchObject({ type: 'unavailable' });
  db.exec('ROLLBACK');
  expect(await store.entries.append(batch)).toMatchObject({ inserted: 1 });
});

test('a full disk fails the append and leaves the ledger unchanged', async () => {
  const db = emptyDatabase();
  const store = openSqliteStore(db);
  await store.entries.append(batch);
  const { page_count: pages } = db.prepare('PRAGMA page_count').get() as { page_count: number };
  db.exec(`PRAGMA max_page_count = ${pages}`);
  const entries = Array.from({ length: 500 }, (_, index) => entryOf(`call_${index}`));
  await expect(store.entries.append({ journalId: 'journal', mark: 505, entries })).rejects.toThrow(/full/);
  expect(await store.entries.mark('journal')).toBe(5);
  db.exec(`PRAGMA max_page_count = ${pages + 1_000}`);
  expect(await store.entries.append({ journalId: 'journal', mark: 505, entries })).toMatchObject({ inserted: 500 });
  expect((await store.reports.summary('ws_default', WHOLE)).total.calls).toBe(501);
});

test('appends survive a power loss if configured', () => {
  const db = emptyDatabase();
  openSqliteStore(db, { synchronous: 'full' });
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 2 });
  openSqliteStore(db);
  expect(db.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 });
});

test('a sum above 2^63 is an error, never a rounded amount', async () => {
  const store = openSqliteStore(emptyDatabase());
  const entries = Array.from({ length: 1_100 }, (_, index) =>
    entryOf(`call_${index}`, { cost: Number.MAX_SAFE_INTEGER }),
  );
  await store.entries.append({ journalId: 'journal', mark: 1, entries: entries.slice(0, 1_000) });
  await expect(store.entries.append({ journalId: 'journal', mark: 2, entries })).rejects.toThrow(/overflow|REAL/);
  expect((await store.reports.summary('ws_default', WHOLE)).total.calls).toBe(1_000);
});
