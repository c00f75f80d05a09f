import type { RowInsert, SqlParameters, SqlValue } from '../sql/steps.ts';

export interface NumberedSql {
  readonly text: string;
  /** Names of the values in their order; null = they are a list already. */
  readonly names: readonly string[] | null;
}

/** Quoted texts and casts stay; `?` and `:name` become `$1`, `$2` … */
const PARAMETER = /'[^']*'|"[^"]*"|::|\?|:([a-z_]\w*)/gi;

/** Numbers the parameters of a statement. */
export function numberParameters(sql: string): NumberedSql {
  const names: string[] = [];
  let count = 0;
  const text = sql.replace(PARAMETER, (found, name: string | undefined) => {
    if (found === '?') return `$${(count += 1)}`;
    if (name === undefined) return found;
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return { text, names: count > 0 || names.length === 0 ? null : names };
}

export function toValues({ names }: NumberedSql, parameters: SqlParameters): readonly SqlValue[] {
  if (names === null) return Array.isArray(parameters) ? (parameters as readonly SqlValue[]) : [];
  const named = parameters as Readonly<Record<string, SqlValue>>;
  return names.map((name) => {
    const value = named[name];
    if (value === undefined) throw new Error(`A statement has no value for :${name}.`);
    return value;
  });
}

/** Returns a SELECT with `?` as one statement over lists of parameters: a column of `$n` for each `?`. */
export function eachSql(sql: string, types: readonly string[]): string {
  let count = 0;
  const inner = sql.replace(PARAMETER, (found) => (found === '?' ? `g.c${(count += 1)}` : found));
  const columns = types.map((_, index) => `c${index + 1}`).join(', ');
  const values = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  return `SELECT r.* FROM unnest(${values}) AS g(${columns}) CROSS JOIN LATERAL (${inner}) AS r`;
}

export function buildInsert({ table, columns, onConflict, returning }: RowInsert, types: readonly string[]): string {
  const values = types.map((type, index) => `$${index + 1}::${type}[]`).join(', ');
  const wanted = returning.length === 0 ? '' : `RETURNING ${returning.join(', ')}`;
  return `INSERT INTO ${table} (${columns.join(', ')}) SELECT * FROM unnest(${values}) ${onConflict} ${wanted}`;
}

type SqlRow = readonly SqlValue[];

/**
 * Sorts rows by their key, and puts those of one key into several parts: one statement can't change a row twice.
 */
export function splitByKey(rows: readonly SqlRow[], keyColumns: number): SqlRow[][] {
  const sorted = rows.toSorted((a, b) => compareKeys(a, b, keyColumns));
  const parts: SqlRow[][] = [];
  let repeats = 0;
  for (const [index, row] of sorted.entries()) {
    const before = sorted[index - 1];
    repeats = before && compareKeys(before, row, keyColumns) === 0 ? repeats + 1 : 0;
    (parts[repeats] ??= []).push(row);
  }
  return parts;
}

function compareKeys(a: SqlRow, b: SqlRow, keyColumns: number): number {
  for (let index = 0; index < keyColumns; index += 1) {
    const [one, other] = [a[index] ?? 0, b[index] ?? 0];
    if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** Returns the columns of rows. */
export function toColumns(rows: readonly SqlRow[], count: number): SqlValue[][] {
  return Array.from({ length: count }, (_, index) => rows.map((row) => row[index] ?? null));
}
