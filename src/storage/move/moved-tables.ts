import type { DatabaseSync } from 'node:sqlite';

/** Value of a cell, the same in both databases. */
export type Cell = string | number | bigint | null;
export type CellKind = 'integer' | 'real' | 'text';

interface MovedColumn {
  readonly name: string;
  readonly kind: CellKind;
}

/** A table that is moved, with all its columns. */
export interface MovedTable {
  readonly name: string;
  readonly columns: readonly MovedColumn[];
  /** Indexes of the primary key's columns, in its order. Rows are read in this order. */
  readonly key: readonly number[];
  /** SQL: the rows that are moved; null = all. */
  readonly only: string | null;
}

/** Settings of this name are about a move, and each database has its own. */
export const MOVE_SETTINGS = 'move.';
const OWN_SETTINGS = `name NOT LIKE '${MOVE_SETTINGS}%'`;

// In the order of creation, so that a table comes after each that it references.
const TABLES = `SELECT name FROM sqlite_schema
  WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%' ORDER BY rowid`;
const COLUMNS = 'SELECT name, type, pk FROM pragma_table_info(?) ORDER BY cid';
const KINDS: Readonly<Record<string, CellKind>> = {
  TEXT: 'text',
  INTEGER: 'integer',
  BIGINT: 'integer',
  SMALLINT: 'integer',
  'DOUBLE PRECISION': 'real',
};

/** Returns all tables of the ledger as its file has them, so that no table and no column can be forgotten. */
export function listMovedTables(sqlite: DatabaseSync): MovedTable[] {
  return sqlite
    .prepare(TABLES)
    .all()
    .map(({ name }) => describeTable(sqlite, String(name)));
}

function describeTable(sqlite: DatabaseSync, name: string): MovedTable {
  const found = sqlite.prepare(COLUMNS).all(name);
  const columns = found.map((column): MovedColumn => {
    const [columnName, type] = [String(column['name']), String(column['type'])];
    const kind = KINDS[type];
    if (kind === undefined) throw new Error(`The column ${name}.${columnName} has the type ${type}.`);
    return { name: columnName, kind };
  });
  const key = found
    .flatMap(({ pk }, index) => (Number(pk) > 0 ? [{ index, place: Number(pk) }] : []))
    .toSorted((a, b) => a.place - b.place)
    .map(({ index }) => index);
  if (key.length === 0) throw new Error(`The table ${name} has no primary key.`);
  return { name, columns, key, only: name === 'settings' ? OWN_SETTINGS : null };
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * Returns the SQL of the next rows in the order of the key.
 * @param places placeholders of the key after which rows are read; null = from the first row
 */
export function followingRows(table: MovedTable, places: readonly string[] | null, limit: number): string {
  const columns = table.columns.map(({ name }) => quoteIdentifier(name)).join(', ');
  const key = table.key.map((index) => quoteIdentifier(table.columns[index]?.name ?? '')).join(', ');
  const conditions = [table.only, places && `(${key}) > (${places.join(', ')})`].filter((one) => one !== null);
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  return `SELECT ${columns} FROM ${quoteIdentifier(table.name)} ${where} ORDER BY ${key} LIMIT ${limit}`;
}

export function keyCells(table: MovedTable, row: readonly Cell[]): Cell[] {
  return table.key.map((index) => row[index] ?? null);
}
