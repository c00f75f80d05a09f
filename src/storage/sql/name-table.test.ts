import { expect, test } from 'vitest';
import { emptyDatabase } from '../../../test/support/empty-database.ts';
import { SqliteConnection } from '../sqlite/connection.ts';
import { NameTable } from './name-table.ts';

test('a number that was rolled back is given to another name, and an unused number has no name', () => {
  const connection = new SqliteConnection(emptyDatabase());
  const names = new NameTable();
  const textOf = (number: number) => connection.run(names.texts([number]))(number);
  connection.db.exec('BEGIN');
  const id = connection.run(names.id('undone'));
  expect(textOf(id)).toBe('undone');
  connection.db.exec('ROLLBACK');
  names.forget();
  expect(() => textOf(id)).toThrow('Unknown name number in the ledger');
  connection.db.exec(`INSERT INTO names (id, text) VALUES (${id}, 'another')`);
  expect(textOf(id)).toBe('another');
});
