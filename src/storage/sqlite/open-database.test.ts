import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { entryOf } from '../../../test/support/arbitrary-entry.ts';
import { openSqliteStore } from './sqlite-store.ts';
import { newKey, openSqliteRecords, temporaryFolder } from '../../../test/support/temporary-records.ts';
import { openDatabase } from './open-database.ts';
import { DEFAULT_WORKSPACE } from '../records/context.ts';

test('the database uses write-ahead logging, waits for locks and checks references', async () => {
  const { database } = await openSqliteRecords();
  const pragma = (name: string): unknown => Object.values(database.sqlite.prepare(`PRAGMA ${name}`).get() ?? {})[0];
  expect(pragma('journal_mode')).toBe('wal');
  expect(pragma('busy_timeout')).toBe(5_000);
  expect(pragma('foreign_keys')).toBe(1);
});

test('appends are never part of a record transaction, nor record changes part of an append', async () => {
  const { database, records } = await openSqliteRecords();
  const { entries } = openSqliteStore(database.sqlite);
  const append = (_: unknown, i: number) =>
    entries.append({ journalId: 'j', mark: i + 1, entries: [entryOf(`call_${i}`)] });
  const creations = Array.from({ length: 10 }, (_, i) => records.keys.create(newKey(`key-${i}`), 'owner'));
  const refused = records.keys.create(newKey('key-0'), 'owner').catch((error: unknown) => error);
  await Promise.all([...creations, ...Array.from({ length: 10 }, append), refused]);
  expect(await entries.mark('j')).toBe(10);
  expect(await records.keys.list(DEFAULT_WORKSPACE)).toHaveLength(10);
});

test('an append waits until an open record transaction ends', async () => {
  const { database } = await openSqliteRecords();
  const { entries } = openSqliteStore(database.sqlite);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const transaction = database.db.transaction().execute(async (tx) => {
    await tx.insertInto('settings').values({ name: 'x', value: '1' }).execute();
    begin();
    await held;
    throw new Error('undone');
  });
  await begun;
  const appended = entries.append({ journalId: 'j', mark: 1, entries: [entryOf('a')] });
  release();
  await expect(transaction).rejects.toThrow('undone');
  await appended;
  expect(await entries.mark('j')).toBe(1);
});

test('a file that is not a database, or cannot be opened, is named with what to do', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'ledger.db');
  writeFileSync(file, 'this is no database, but long enough to be looked at '.repeat(100));
  await expect(openDatabase(file)).rejects.toThrow(`${file} can't be opened as a database`);
  await expect(openDatabase(join(folder, 'absent', 'ledger.db'))).rejects.toThrow('Check the rights of its folder');
});

test('cached statements are bounded, and all still work', async () => {
  const { database } = await openSqliteRecords();
  for (let i = 1; i < 300; i += 1) {
    const names = Array.from({ length: i }, (_, n) => `name ${n}`);
    await database.db.selectFrom('settings').selectAll().where('name', 'in', names).execute();
  }
  expect(
    await database.db.selectFrom('settings').selectAll().where('name', 'in', ['secret.salt']).execute(),
  ).toHaveLength(1);
});

test('a transaction that SQLite has rolled back by itself fails with its own error', async () => {
  const { database } = await openSqliteRecords();
  const pages = Object.values(database.sqlite.prepare('PRAGMA page_count').get() ?? {})[0];
  database.sqlite.exec(`PRAGMA max_page_count = ${String(pages)}`);
  const large = database.db.transaction().execute(async (tx) => {
    await tx
      .insertInto('settings')
      .values({ name: 'large', value: 'x'.repeat(1_000_000) })
      .execute();
  });
  await expect(large).rejects.toThrow('database or disk is full');
  database.sqlite.exec('PRAGMA max_page_count = 1000000');
  await database.db.insertInto('settings').values({ name: 'small', value: '1' }).execute();
});
