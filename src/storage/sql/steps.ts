import type { ResultRow } from './result-row.ts';

export type SqlValue = string | number | bigint | null;
/** Values for `?` in order, or for `:name`. */
export type SqlParameters = readonly SqlValue[] | Readonly<Record<string, SqlValue>>;

/**
 * `numbers`: integers are numbers, and one above 2^53 throws. `bigints`: integers are `bigint`, for sums. `lists`: a
 * row is a list of its columns, which is cheaper; `sumLists`: both. `changes`: no rows but one that says how many changed.
 */
export type RowForm = 'numbers' | 'bigints' | 'lists' | 'sumLists' | 'changes';

/** One statement. */
interface StatementQuestion {
  readonly kind: 'statement';
  readonly sql: string;
  readonly parameters: SqlParameters;
  readonly form: RowForm;
}

/** The same SELECT for many lists of parameters. Its rows come in any order. */
interface EachQuestion {
  readonly kind: 'each';
  readonly sql: string;
  readonly lists: readonly (readonly SqlValue[])[];
  readonly form: 'numbers' | 'bigints';
}

/** Rows to insert into one table. */
export interface InsertQuestion {
  readonly kind: 'insert';
  readonly insert: RowInsert;
  readonly rows: readonly (readonly SqlValue[])[];
}

/** The fixed part of an `InsertQuestion`. */
export interface RowInsert {
  readonly table: string;
  readonly columns: readonly string[];
  /**
   * Number of leading columns that identify a row. Engines with several writers insert in their order, so that two
   * writers never wait for each other; 0 = in the order given.
   */
  readonly keyColumns: number;
  /** `ON CONFLICT …`; columns of the stored row are named with their table. '' = a conflict is an error. */
  readonly onConflict: string;
  /**
   * Columns to return of rows that were inserted: `id`, which the database assigns, and given ones. Empty = no rows are
   * returned; only then may a conflict update a row.
   */
  readonly returning: readonly string[];
}

/** A question to another server while the transaction is open. Only a database that is a server itself has one. */
interface ElsewhereQuestion {
  readonly kind: 'elsewhere';
  readonly answer: () => Promise<readonly ResultRow[]>;
}

export type SqlQuestion = StatementQuestion | EachQuestion | InsertQuestion | ElsewhereQuestion;

/**
 * Work on the ledger that yields its questions and receives their rows, so that it is the same code where the
 * database answers in the same turn and where it is a server. `undefined` = a pause, in which other work may run.
 */
export type SqlSteps<Result> = Generator<SqlQuestion | undefined, Result, readonly ResultRow[]>;

/** Asks for rows whose integers are numbers. */
export function ask(sql: string, parameters: SqlParameters = NONE): SqlQuestion {
  return { kind: 'statement', sql, parameters, form: 'numbers' };
}

/** Asks for rows whose integers are `bigint`. */
export function askSums(sql: string, parameters: SqlParameters = NONE): SqlQuestion {
  return { kind: 'statement', sql, parameters, form: 'bigints' };
}

/** Asks for rows as lists of columns; read them through `lists`. */
export function askLists(sql: string, parameters: SqlParameters = NONE): SqlQuestion {
  return { kind: 'statement', sql, parameters, form: 'lists' };
}

/** Asks for rows as lists of columns, with integers as `bigint`. */
export function askSumLists(sql: string, parameters: SqlParameters = NONE): SqlQuestion {
  return { kind: 'statement', sql, parameters, form: 'sumLists' };
}

/** Changes or deletes rows. Returns how many. */
export function* change(sql: string, parameters: SqlParameters = NONE): SqlSteps<number> {
  const [row] = yield { kind: 'statement', sql, parameters, form: 'changes' };
  return Number(row?.['changes']);
}

const NONE: readonly SqlValue[] = [];

/** Runs a SELECT with `?` for each list of parameters. Which list a row belongs to must be among its columns. */
export function* askEach(sql: string, parameters: readonly (readonly SqlValue[])[]): SqlSteps<readonly ResultRow[]> {
  return parameters.length === 0 ? [] : yield { kind: 'each', sql, lists: parameters, form: 'numbers' };
}

/** Does the same as `askEach`, with integers as `bigint`. */
export function* askEachSums(
  sql: string,
  parameters: readonly (readonly SqlValue[])[],
): SqlSteps<readonly ResultRow[]> {
  return parameters.length === 0 ? [] : yield { kind: 'each', sql, lists: parameters, form: 'bigints' };
}

export function* insertRows(insert: RowInsert, rows: readonly (readonly SqlValue[])[]): SqlSteps<readonly ResultRow[]> {
  return rows.length === 0 ? [] : yield { kind: 'insert', insert, rows };
}

/** Asks another server. The steps may be made again, so a change must be one that may be repeated. */
export function askElsewhere(answer: () => Promise<readonly ResultRow[]>): SqlQuestion {
  return { kind: 'elsewhere', answer };
}

/** Returns the rows of `askLists`. */
export function lists(rows: readonly unknown[]): (readonly unknown[])[] {
  return rows.filter((row) => Array.isArray(row));
}

/** Returns SQL for the sums of an upsert: each column of the stored row plus that of the new one. */
export function addColumns(table: string, columns: readonly string[]): string {
  return columns.map((column) => `${column} = ${table}.${column} + excluded.${column}`).join(', ');
}

/** Returns SQL for an upsert that replaces columns of the stored row. */
export function replaceColumns(columns: readonly string[]): string {
  return columns.map((column) => `${column} = excluded.${column}`).join(', ');
}

/** Returns SQL for the larger of two values that are not null. */
export function larger(one: string, other: string): string {
  return `CASE WHEN ${one} > ${other} THEN ${one} ELSE ${other} END`;
}
