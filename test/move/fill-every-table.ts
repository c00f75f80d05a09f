import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { HOUR_MS } from '../../src/domain/time/units.ts';
import { FIRST_DAY, HOSTILE } from '../support/arbitrary-entry.ts';

const TABLES = `SELECT name, sql LIKE '%) STRICT%' AS strict FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'kysely%' ORDER BY rowid`;
const COLUMNS = `SELECT c.name, c.type, c."notnull" OR c.pk > 0 AS filled, f."table" IS NOT NULL AS refers
  FROM pragma_table_info(?1) c LEFT JOIN pragma_foreign_key_list(?1) f ON f."from" = c.name`;
/** Largest integers of the types of PostgreSQL, and one that no JavaScript number has. */
const LARGEST: Readonly<Record<string, bigint>> = {
  SMALLINT: 2n ** 15n,
  INTEGER: 2n ** 31n,
  BIGINT: 2n ** 53n + 1_000n,
};
const TIME = /_at$|^(at|start|day|hour|from_hour|until|seen_at|window_start)$/;

interface FilledColumn {
  readonly name: string;
  readonly type: string;
  readonly filled: number;
  readonly refers: number;
}

/**
 * Fills each table with rows of values that are hard to carry: integers beyond 2^53, nulls, empty texts, U+0000, quotes.
 * Rows of one number refer to each other. Returns the names of the tables.
 */
export function fillEveryTable(sqlite: DatabaseSync, rows: number): string[] {
  const tables = sqlite.prepare(TABLES).all() as unknown as { name: string; strict: number }[];
  for (const { name, strict } of tables) {
    const columns = sqlite.prepare(COLUMNS).all(name) as unknown as FilledColumn[];
    const names = columns.map((column) => `"${column.name}"`).join(', ');
    const statement = sqlite.prepare(`INSERT INTO "${name}" (${names}) VALUES (${columns.map(() => '?').join(', ')})`);
    for (let row = 0; row < rows; row += 1)
      statement.run(...columns.map((column) => cellValue(column, row, strict === 1)));
  }
  return tables.map(({ name }) => name);
}

function cellValue({ name, type, filled, refers }: FilledColumn, row: number, isStrict: boolean): SQLInputValue {
  if (filled === 0 && row % 3 === 1) return null;
  if (refers === 1 || (name === 'id' && type === 'TEXT')) return `row ${row} \u0000 ${HOSTILE[0]}`;
  if (type === 'TEXT') return `${HOSTILE[row % HOSTILE.length]?.toWellFormed()}${row}`;
  if (type === 'DOUBLE PRECISION') return row / 7 - 1;
  if (TIME.test(name)) return FIRST_DAY + row * HOUR_MS;
  return (LARGEST[isStrict ? 'BIGINT' : type] ?? 0n) - 1n - BigInt(row);
}
