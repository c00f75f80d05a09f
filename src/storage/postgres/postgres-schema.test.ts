import { expect, test } from 'vitest';
import { emptyDatabase } from '../../../test/support/empty-database.ts';
import { temporaryDatabase } from '../../../test/support/postgres.ts';
import { LEDGER_TEMPLATE } from '../../../test/support/temporary-records.ts';
import { parsePostgresAddress } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';

const COLUMNS_OF_SQLITE = `SELECT t.name || '.' || c.name AS name, max(c."notnull", c.pk > 0) AS filled
  FROM sqlite_schema t, pragma_table_info(t.name) c
  WHERE t.type = 'table' AND t.name NOT LIKE 'kysely%' ORDER BY 1`;
const COLUMNS_OF_POSTGRES = `SELECT table_name || '.' || column_name AS name,
    CASE is_nullable WHEN 'NO' THEN 1 ELSE 0 END AS filled
  FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = ANY($1) ORDER BY 1`;

test('each table of SQLite is in PostgreSQL with the same columns', async () => {
  const db = emptyDatabase();
  const expected = db.prepare(COLUMNS_OF_SQLITE).all();
  db.close();
  const tables = [...new Set(expected.map(({ name }) => String(name).split('.')[0]))];
  const pool = new PostgresPool(parsePostgresAddress(await temporaryDatabase(LEDGER_TEMPLATE)), { connectionsMax: 1 });
  const { rows } = await pool.query({ text: COLUMNS_OF_POSTGRES, values: [tables] });
  await pool.close();
  expect(tables).toContain('entries');
  expect(rows).toEqual(expected);
});
