import { expect, test } from 'vitest';
import { emptyDatabase } from '../../../test/support/empty-database.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { SyncNames } from '../sqlite/sync-names.ts';
import { NameTable } from './name-table.ts';

test('a number that was rolled back is given to another name, and an unused number has no name', () => {
  const connection = new SqliteConnection(emptyDatabase());
  const table = new NameTable();
  const names = new SyncNames(connection, table);
  connection.db.exec('BEGIN');
  const id = names.id('undone');
  expect(names.text(id)).toBe('undone');
  connection.db.exec('ROLLBACK');
  table.forget();
  expect(() => names.text(id)).toThrow('Unknown name number in the ledger');
  connection.db.exec(`INSERT INTO names (id, text) VALUES (${id}, 'another')`);
  expect(names.text(id)).toBe('another');
});
