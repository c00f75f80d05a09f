import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteRecords, temporaryFolder } from '../../../test/support/temporary-records.ts';
import { openDatabase } from '../sqlite/open-database.ts';
import { migrate, type MigrationSteps } from './migrate.ts';
import { SQLITE_MIGRATIONS } from './sqlite.ts';

/** The schema of a new file. Changes with every migration (`npx vitest run src/storage/migrations --update` writes it). */
const SCHEMA = join(import.meta.dirname, 'fixtures', 'schema.sql');

function readSchema(sqlite: DatabaseSync): string {
  const rows = sqlite.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid').all();
  return rows.map(({ sql }) => `${String(sql)};\n`).join('');
}

test('a new file has exactly the schema of the fixture', async () => {
  const { database } = await openSqliteRecords();
  await expect(readSchema(database.sqlite)).toMatchFileSnapshot(SCHEMA);
});

test('a step is only text: later code never changes what an earlier step created', () => {
  const steps = readdirSync(import.meta.dirname).filter((name) => /^\d+-.*\.ts$/.test(name));
  expect(steps).toContain('001-entries-sqlite.ts');
  for (const step of steps)
    expect([step, readFileSync(join(import.meta.dirname, step), 'utf8')]).toEqual([
      step,
      expect.not.stringMatching(/import|\$\{/),
    ]);
});

test('a second step keeps the rows of the first', async () => {
  const { database } = await openSqliteRecords();
  const next: MigrationSteps = {
    ...SQLITE_MIGRATIONS,
    '002-next': ["ALTER TABLE names ADD COLUMN note TEXT NOT NULL DEFAULT ''"],
  };
  database.sqlite.exec("INSERT INTO names (text) VALUES ('a model')");
  await migrate(database.db, next);
  expect(database.sqlite.prepare('SELECT text, note FROM names').all()).toEqual([{ text: 'a model', note: '' }]);
});

test('migrating twice changes nothing', async () => {
  const first = await openSqliteRecords();
  const schema = readSchema(first.database.sqlite);
  const again = await openSqliteRecords(first.dataDir);
  expect(readSchema(again.database.sqlite)).toBe(schema);
});

test('a database of a newer version stops the start with a sentence and stays unchanged', async () => {
  const { database, file } = await openSqliteRecords();
  database.sqlite.exec("INSERT INTO kysely_migration VALUES ('999-future', '2031-01-01T00:00:00.000Z')");
  const schema = readSchema(database.sqlite);
  await expect(openDatabase(file)).rejects.toThrow('written by a newer Tollbook (its step 999-future is unknown here)');
  expect(readSchema(database.sqlite)).toBe(schema);
});

test('a migration that fails half-way leaves nothing behind', async () => {
  const file = join(temporaryFolder(), 'ledger.db');
  const sqlite = new DatabaseSync(file);
  onTestFinished(() => sqlite.close());
  sqlite.exec('CREATE TABLE price_cards (mine)');
  await expect(openDatabase(file)).rejects.toThrow(/could not be brought up to date.*Nothing was changed/);
  expect(readSchema(sqlite)).not.toContain('workspaces');
});
