import type { Period } from '../../domain/time/period.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import type { KeyBounds, RequestedModelSum, SumGroup } from '../sql/entry-table.ts';
import { numberOrNull, number, type ResultRow, text } from '../sql/result-row.ts';
import type { SqlSteps } from '../sql/steps.ts';
import {
  type ColumnMatch,
  columnMatches,
  filterConditions,
  type GroupColumn,
  type SumQuery,
} from '../sql/sum-query.ts';
import { readTotals } from '../sql/totals-row.ts';
import { MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import type { SeriesFilter } from '../usage-queries.ts';
import type { ClickhouseParameters } from './clickhouse-connection.ts';
import { fromEntries, type StoredRows } from './stored-rows.ts';

/** Sums may exceed 64 bits, and numbers of JSON 53. */
const SUMS = MEASURE_COLUMNS.map((column) => `toString(sum(toInt128(${column}))) AS sum_${column}`).join(', ');
const IN_RANGE = 'started_at >= {start:Int64} AND started_at < {end:Int64}';
/** Entries of the newest part of a range that one query sums. */
const PART_ENTRIES = 200_000;

/** Conditions of a filter on rows, with their parameters. */
export interface RowConditions {
  readonly where: readonly string[];
  readonly parameters: ClickhouseParameters;
}

/** SQL: the value of a tag; NULL if the call has none. */
export function tagValue(parameter: string): string {
  return `if(mapContains(tags, {${parameter}:String}), tags[{${parameter}:String}], NULL)`;
}

/** Returns the conditions of a filter, where models are named as they are summed. */
export function buildFilter(filter: SeriesFilter): RowConditions {
  const where: string[] = [];
  const parameters: Record<string, ClickhouseParameters[string]> = {};
  for (const [column, value] of filterConditions(filter)) {
    where.push(
      `${column === 'model' ? 'summed_model' : column} = {${column}:${typeof value === 'number' ? 'Int64' : 'String'}}`,
    );
    parameters[column] = value;
  }
  if (filter.tag) {
    where.push(`${tagValue('filter_key')} = {filter_value:String}`);
    Object.assign(parameters, { filter_key: filter.tag.key, filter_value: filter.tag.value });
  }
  for (const [index, match] of columnMatches(filter).entries()) {
    const name = `match_${index}`;
    where.push(matchValues(match, match.column === 'model' ? 'summed_model' : match.column, name));
    parameters[name] = match.values.map(String);
    if (match.tagKey !== null) parameters[`${name}_key`] = match.tagKey;
  }
  return { where, parameters };
}

/** SQL: a column has one of the values of a parameter, or none of them. */
function matchValues({ tagKey, column, isNot }: ColumnMatch, plain: string, parameter: string): string {
  const value = tagKey === null ? plain : tagValue(`${parameter}_key`);
  const isOne = `ifNull(${column === 'status' ? 'toString(status)' : value} IN {${parameter}:Array(String)}, 0)`;
  return isNot ? `NOT ${isOne}` : isOne;
}

function groupExpression(column: GroupColumn): string {
  if (column === 'tag_value') return tagValue('tag_key');
  if (column === 'model') return 'summed_model';
  if (column === 'hour') return `toString(started_at - started_at % ${HOUR_MS})`;
  return column === 'status' ? 'toString(status)' : column;
}

/** Sums the rows of a range. */
function* sumRows(
  stored: StoredRows,
  workspaceId: string,
  query: SumQuery,
  { start, end }: Period,
): SqlSteps<SumGroup[]> {
  const { where, parameters } = buildFilter(query.filter);
  const ofAssistants = query.ofAssistants ? ['session_hash IS NOT NULL'] : [];
  const groups = query.by.map((column, index) => `${groupExpression(column)} AS group_${index}`);
  const columns = [...groups, SUMS, 'min(started_at) AS first_at', 'max(ended_at) AS last_at'];
  const names = query.by.map((_, index) => `group_${index}`);
  const rows = yield* stored.ask(
    `SELECT ${columns.join(', ')} FROM ${fromEntries(IN_RANGE, 'sent = 1', ...ofAssistants, ...where)}
     ${names.length > 0 ? `GROUP BY ${names.join(', ')}` : 'HAVING count() > 0'}`,
    { ...parameters, ...(query.tagKey !== null && { tag_key: query.tagKey }), workspace: workspaceId, start, end },
  );
  return rows.map((row) => ({
    values: names.map((name) => row[name] as string | null),
    totals: readTotals(exactSums(row), MEASURES),
    times: query.times ? { start: number(row, 'first_at'), end: number(row, 'last_at') } : null,
  }));
}

function exactSums(row: ResultRow): ResultRow {
  return Object.fromEntries(MEASURE_COLUMNS.map((column) => [column, BigInt(text(row, `sum_${column}`))]));
}

export function* sumStored(
  stored: StoredRows,
  workspaceId: string,
  query: SumQuery,
  range: Period,
  take: (group: SumGroup) => void,
): SqlSteps<void> {
  if (range.start < range.end) (yield* sumRows(stored, workspaceId, query, range)).forEach(take);
}

const NEWEST = `SELECT min(started_at) AS first, count() AS entries FROM (
  SELECT started_at FROM ${fromEntries(IN_RANGE, 'correction = 0')} ORDER BY started_at DESC LIMIT {limit:Int64})`;

/** Sums parts of a range, newest first, until `take` returns false. */
export function* sumNewestStored(
  stored: StoredRows,
  workspaceId: string,
  query: SumQuery,
  { start, end }: Period,
  take: (groups: readonly SumGroup[], start: number, entries: number) => boolean,
): SqlSteps<void> {
  for (let to = end; start < to;) {
    const [row = {}] = yield* stored.ask(NEWEST, { workspace: workspaceId, start, end: to, limit: PART_ENTRIES });
    const entries = number(row, 'entries');
    const from = entries < PART_ENTRIES ? start : number(row, 'first');
    const groups = yield* sumRows(stored, workspaceId, query, { start: from, end: to });
    if (!take(groups, from, entries) || from === start) return;
    to = from;
    yield;
  }
}

const REQUESTED = `SELECT provider, requested_model, ${SUMS}
  FROM ${fromEntries(IN_RANGE, "source = 'proxy'", 'sent = 1', 'requested_model IS NOT NULL')}
  GROUP BY provider, requested_model`;

export function* sumStoredRequests(
  stored: StoredRows,
  workspaceId: string,
  { start, end }: Period,
): SqlSteps<RequestedModelSum[]> {
  const rows = yield* stored.ask(REQUESTED, { workspace: workspaceId, start, end });
  return rows.map((row) => ({
    provider: text(row, 'provider'),
    model: text(row, 'requested_model'),
    totals: readTotals(exactSums(row), MEASURES),
  }));
}

const KEY_BOUNDS = `SELECT min(started_at) AS first, max(started_at) AS last, count() AS calls
  FROM ${fromEntries(IN_RANGE, 'key = {key:String}', 'sent = 1', 'correction = 0')}`;

export function* readStoredBounds(
  stored: StoredRows,
  workspaceId: string,
  keyId: string,
  { start, end }: Period,
): SqlSteps<KeyBounds> {
  const [row = {}] = yield* stored.ask(KEY_BOUNDS, { workspace: workspaceId, key: keyId, start, end });
  if (number(row, 'calls') === 0) return { first: null, last: null };
  return { first: numberOrNull(row, 'first'), last: numberOrNull(row, 'last') };
}

/** Returns true if a range has more than so many entries, of a session or of all. */
export function* hasMoreStored(
  stored: StoredRows,
  workspaceId: string,
  { start, end }: Period,
  entries: number,
  session?: string,
): SqlSteps<boolean> {
  const ofSession = session === undefined ? [] : ['session = {session:String}'];
  const sql = `SELECT count() AS entries FROM (
    SELECT 1 FROM ${fromEntries(IN_RANGE, 'correction = 0', ...ofSession)} LIMIT {limit:Int64})`;
  const given = { workspace: workspaceId, start, end, limit: entries + 1, ...(session !== undefined && { session }) };
  const [row = {}] = yield* stored.ask(sql, given);
  return number(row, 'entries') > entries;
}
