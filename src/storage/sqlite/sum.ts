import type { Segment } from '../segments.ts';
import type { Totals } from '../store.ts';
import { MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import type { Names } from './names.ts';
import { conditions, tagKeyOf } from './question.ts';
import type { GroupColumn, Question } from './question.ts';
import type { EntryReading } from './reading.ts';
import type { RollupShape } from './rollups.ts';
import { tagValue } from './tag-value.ts';

/** The sums of one combination of values, in the order of the question's `by`. */
export interface Group {
  readonly values: readonly (string | null)[];
  readonly totals: Totals;
}

type Parameters = Record<string, string | number>;

/** Sums one segment: roll-up rows of its grain, or entries; both have the same columns. */
export function sumSegment(
  { connection, names }: EntryReading,
  workspace: number,
  question: Question,
  shape: RollupShape | null,
  segment: Segment,
): Group[] {
  const from = shape && segment.from !== 'detail' ? `${shape.name}_${segment.from}` : 'details';
  const parameters: Parameters = { workspace, start: segment.start, end: segment.end };
  const where = ['workspace = :workspace', 'start >= :start', 'start < :end'];
  for (const [column, value] of conditions(question.filter)) {
    const number = typeof value === 'number' ? value : names.find(value);
    if (number === undefined) return [];
    where.push(`${column} = :${column}`);
    parameters[column] = number;
  }
  const tags = from === 'details' ? detailTags(question) : rollupTags(names, question);
  if (!tags) return [];
  const sql = sumSql(from, question.by, [...where, ...tags.where]);
  return connection
    .sumStatement(sql)
    .all({ ...parameters, ...tags.parameters })
    .map((row) => ({
      values: question.by.map((column) => valueOf(row[column])),
      totals: toTotals(row),
    }));
}

interface TagConditions {
  readonly where: readonly string[];
  readonly parameters: Parameters;
}

/** Entries carry their tags as JSON. */
function detailTags({ tagKey, filter }: Question): TagConditions {
  return {
    where: filter.tag ? [`${tagValue('tags', ':filter_key')} = :filter_value`] : [],
    parameters: {
      ...(tagKey === null ? {} : { tag_key: tagKey }),
      ...(filter.tag ? { filter_key: filter.tag.key, filter_value: filter.tag.value } : {}),
    },
  };
}

/** Null when a name that is asked for was never seen. */
function rollupTags(names: Names, question: Question): TagConditions | null {
  const tagKey = tagKeyOf(question);
  if (tagKey === null || tagKey === undefined) return { where: [], parameters: {} };
  const tag_key = names.find(tagKey);
  if (tag_key === undefined) return null;
  if (!question.filter.tag) return { where: ['tag_key = :tag_key'], parameters: { tag_key } };
  const tag_value = names.find(question.filter.tag.value);
  if (tag_value === undefined) return null;
  return { where: ['tag_key = :tag_key', 'tag_value = :tag_value'], parameters: { tag_key, tag_value } };
}

function sumSql(from: string, by: readonly GroupColumn[], where: readonly string[]): string {
  const inner = by.map((column) =>
    from === 'details' && column === 'tag_value' ? `${tagValue('tags', ':tag_key')} AS tag_value` : column,
  );
  const outer = by.map((column) =>
    column === 'status' || (from === 'details' && column === 'tag_value')
      ? column
      : `(SELECT text FROM names WHERE id = ${column}) AS ${column}`,
  );
  const sums = MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`);
  const groups = by.map((_, index) => index + 1).join(', ');
  return `SELECT ${[...outer, ...MEASURE_COLUMNS].join(', ')} FROM (
    SELECT ${[...inner, ...sums].join(', ')} FROM ${from}
    WHERE ${where.join(' AND ')} ${groups ? `GROUP BY ${groups}` : 'HAVING count(*) > 0'})`;
}

/** A text, or the number of a status. */
function valueOf(value: unknown): string | null {
  return typeof value === 'bigint' ? value.toString() : (value as string | null);
}

export function toTotals(row: Record<string, unknown>): Totals {
  return {
    calls: count(row[MEASURES.calls]),
    failedCalls: count(row[MEASURES.failedCalls]),
    cost: money(row[MEASURES.cost]),
    inputTokens: count(row[MEASURES.inputTokens]),
    cacheReadTokens: count(row[MEASURES.cacheReadTokens]),
    cacheWriteTokens: count(row[MEASURES.cacheWriteTokens]),
    outputTokens: count(row[MEASURES.outputTokens]),
    unpricedCalls: count(row[MEASURES.unpricedCalls]),
    unpricedUses: 0,
    uncertainCalls: count(row[MEASURES.uncertainCalls]),
    uncertainUpTo: money(row[MEASURES.uncertainUpTo]),
    unpricedUpTo: money(row[MEASURES.unpricedUpTo]),
    uncertainInputTokens: count(row[MEASURES.uncertainInputTokens]),
    uncertainOutputTokens: count(row[MEASURES.uncertainOutputTokens]),
  };
}

function money(value: unknown): bigint {
  if (typeof value !== 'bigint') throw new Error('A sum of money in the book is no whole number.');
  return value;
}

function count(value: unknown): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new Error('A count in the book passes 2^53.');
  return number;
}
