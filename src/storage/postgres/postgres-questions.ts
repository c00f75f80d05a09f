import { hash } from 'node:crypto';
import type { ResultRow } from '../sql/result-row.ts';
import type { RowForm, RowInsert, SqlQuestion, SqlValue } from '../sql/steps.ts';
import type { PostgresQueries } from './postgres-pool.ts';
import { eachSql, buildInsert, numberParameters, splitByKey, toColumns, toValues } from './postgres-sql.ts';

const COLUMN_TYPES = `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, NULL) AS type
  FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
  WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND a.attnum > 0`;
/** Statements that each connection keeps prepared. */
const PREPARED_MAX = 250;
/** Names of statements are cut to 63 bytes. */
const NAME_CHARS = 32;

type SqlRow = readonly SqlValue[];

/** Asks PostgreSQL the questions of steps. */
export class PostgresQuestions {
  readonly #names = new Map<string, string>();
  /** SQL of inserts, which names the types of columns. */
  readonly #inserts = new WeakMap<RowInsert, string>();
  #types: ReadonlyMap<string, string> | null = null;

  /** @param isPrepared the statement runs often */
  async answer(queries: PostgresQueries, question: SqlQuestion, isPrepared: boolean): Promise<readonly ResultRow[]> {
    const nameOf = isPrepared ? (text: string) => this.#nameOf(text) : () => ({});
    switch (question.kind) {
      case 'statement': {
        const sql = numberParameters(question.sql);
        const query = { text: sql.text, values: toValues(sql, question.parameters), ...nameOf(sql.text) };
        return await answerStatement(queries, query, question.form);
      }
      case 'each': {
        const types = (question.lists[0] ?? []).map((value) => (typeof value === 'string' ? 'text' : 'bigint'));
        const text = eachSql(question.sql, types);
        const values = toColumns(question.lists, types.length);
        return (await queries.query({ text, values, integers: question.form, ...nameOf(text) })).rows;
      }
      case 'insert': {
        const text = await this.#buildInsert(queries, question.insert);
        return await insertParts(queries, question.insert, question.rows, { text, ...nameOf(text) });
      }
      case 'elsewhere':
        return await question.answer();
    }
  }

  /** Returns a name that is the same for a text wherever it is prepared, or none if too many have one. */
  #nameOf(text: string): { name?: string } {
    let name = this.#names.get(text);
    if (name === undefined) {
      if (this.#names.size >= PREPARED_MAX) return {};
      name = hash('sha256', text).slice(0, NAME_CHARS);
      this.#names.set(text, name);
    }
    return { name };
  }

  async #buildInsert(queries: PostgresQueries, insert: RowInsert): Promise<string> {
    const known = this.#inserts.get(insert);
    if (known !== undefined) return known;
    this.#types ??= await readColumnTypes(queries);
    const types = insert.columns.map((column) => {
      const type = this.#types?.get(`${insert.table}.${column}`);
      if (type === undefined) throw new Error(`The table ${insert.table} has no column ${column}.`);
      return type;
    });
    const text = buildInsert(insert, types);
    this.#inserts.set(insert, text);
    return text;
  }
}

async function readColumnTypes(queries: PostgresQueries): Promise<ReadonlyMap<string, string>> {
  const rows = await queries.lists({ text: COLUMN_TYPES });
  return new Map(rows.map(([table, column, type]) => [`${String(table)}.${String(column)}`, String(type)]));
}

interface NamedText {
  readonly text: string;
  readonly name?: string;
}

async function answerStatement(
  queries: PostgresQueries,
  query: NamedText & { readonly values: SqlRow },
  form: RowForm,
): Promise<readonly ResultRow[]> {
  const typed = { ...query, integers: form === 'bigints' || form === 'sumLists' ? 'bigints' : 'numbers' } as const;
  if (form === 'lists' || form === 'sumLists')
    return (await queries.lists(typed)) as readonly unknown[] as readonly ResultRow[];
  const { rows, changes } = await queries.query(typed);
  return form === 'changes' ? [{ changes }] : rows;
}

async function insertParts(
  queries: PostgresQueries,
  { keyColumns, columns }: RowInsert,
  rows: readonly SqlRow[],
  query: NamedText,
): Promise<readonly ResultRow[]> {
  const inserted: ResultRow[] = [];
  for (const part of keyColumns === 0 ? [rows] : splitByKey(rows, keyColumns))
    inserted.push(...(await queries.query({ ...query, values: toColumns(part, columns.length) })).rows);
  return inserted;
}
