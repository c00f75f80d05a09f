import { ceil, floor, type RangeSegment, splitRange } from '../range-segments.ts';
import { type EntryReader, readDetailBegins } from './entry-reader.ts';
import { askEachSums, askSums, type SqlSteps } from './steps.ts';
import {
  chooseRollup,
  type ColumnMatch,
  columnMatches,
  filterConditions,
  type GroupColumn,
  isContextColumn,
  matchSql,
  singleTagKey,
  type SumQuery,
} from './sum-query.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import { perDialect } from './dialect.ts';
import type { EntrySlices, SqlContext, SumGroup } from './entry-table.ts';
import type { NameTable } from './name-table.ts';
import type { ResultRow } from './result-row.ts';
import { GRAINS } from './rollups.ts';
import { readTotals } from './totals-row.ts';
import type { Period } from '../../domain/time/period.ts';

/** Parts of a range that one question asks about. */
const SEGMENTS_ASKED_MAX = 200;

type SumParameters = Record<string, string | number>;

/** Sums entries of a part of a range. */
function* sumDetail(
  { names, dialect }: SqlContext,
  workspace: number,
  query: SumQuery,
  { start, end }: Period,
): SqlSteps<SumGroup[]> {
  const { tagKey, filter } = query;
  const parameters: SumParameters = { workspace, start, end };
  const where = ['workspace = :workspace', 'start >= :start', 'start < :end'];
  for (const [column, value] of filterConditions(filter)) {
    const stored = typeof value === 'number' || isContextColumn(column) ? value : yield* names.find(value);
    if (stored === undefined) return [];
    where.push(`${column} = :${column}`);
    if (column === 'session') where.push(SESSION_KEY(dialect));
    parameters[column] = stored;
  }
  for (const [index, match] of columnMatches(filter).entries()) {
    const stored = yield* storedValues(names, match);
    if (stored === null) return [];
    const list = stored.map((_, place) => `:match_${index}_${place}`);
    const value = match.tagKey === null ? match.column : dialect.tagValue('tags', `:match_${index}`);
    if (match.tagKey !== null) parameters[`match_${index}`] = match.tagKey;
    stored.forEach((one, place) => (parameters[`match_${index}_${place}`] = one));
    if (list.length > 0) where.push(matchSql(value, list, match.isNot));
  }
  if (query.ofAssistants) where.push('session_hash IS NOT NULL');
  if (tagKey !== null) parameters['tag_key'] = tagKey;
  if (filter.tag) {
    where.push(`${dialect.tagValue('tags', ':filter_key')} = :filter_value`);
    Object.assign(parameters, { filter_key: filter.tag.key, filter_value: filter.tag.value });
  }
  // Entries carry their tags as JSON.
  const tagValue = `${dialect.tagValue('tags', ':tag_key')} AS tag_value`;
  const columns = query.by.map((column) => {
    if (column === 'tag_value') return { inner: tagValue, outer: column };
    return { inner: column === 'hour' ? HOUR : column, outer: outerColumn(column) };
  });
  const rows = yield askSums(sumSql('entry_measures', query, columns, where), parameters);
  return rows.map((row) => toGroup(row, query));
}

/** Returns values as entries store them, without values that no entry has; null = no entry matches. */
function* storedValues(names: NameTable, match: ColumnMatch): SqlSteps<(string | number)[] | null> {
  const stored: (string | number)[] = [];
  for (const value of match.values) {
    const isStored = typeof value === 'number' || isContextColumn(match.column) || match.tagKey !== null;
    const found = isStored ? value : yield* names.find(value);
    if (found !== undefined) stored.push(found);
  }
  return stored.length === 0 && !match.isNot ? null : stored;
}

/** A part of a range that is summed apart, with its number. */
interface NumberedSegment extends RangeSegment {
  readonly part: number;
}

/** Passes the sums of segments to `take`, each with the number of its part: rows of the grain of a roll-up. */
function* sumRollup(
  { names }: SqlContext,
  workspace: number,
  query: SumQuery,
  table: string,
  segments: readonly NumberedSegment[],
  take: TakePart,
): SqlSteps<void> {
  const fixed = yield* fixedColumns(names, query);
  const matched = yield* matchedColumns(names, query);
  if (!fixed || !matched) return;
  const where = [
    ...['workspace', ...fixed.map(([column]) => column)].map((column) => `${column} = ?`),
    ...matched.map(({ column, values, isNot }) => matchSql(column, Array(values.length).fill('?'), isNot)),
  ];
  const columns = query.by.map((column) => ({ inner: column, outer: outerColumn(column) }));
  const sql = sumSql(table, query, columns, [...where, 'start >= ?', 'start < ?'], ['? AS part']);
  const values = [...fixed.map(([, value]) => value), ...matched.flatMap((match) => match.values)];
  for (let from = 0; from < segments.length; from += SEGMENTS_ASKED_MAX) {
    const asked = segments.slice(from, from + SEGMENTS_ASKED_MAX);
    const given = asked.map(({ part, start, end }) => [part, workspace].concat(values, start, end));
    for (const row of yield* askEachSums(sql, given)) take(Number(row['part']), toGroup(row, query));
  }
}

/** Returns the columns of roll-up rows that the query fixes, with their numbers; null = a name was never seen. */
function* fixedColumns(names: NameTable, query: SumQuery): SqlSteps<(readonly [string, number])[] | null> {
  const fixed: (readonly [string, number])[] = [];
  const { tag } = query.filter;
  const tagKey = singleTagKey(query) ?? null;
  const conditions: (readonly [string, string | number])[] = [
    ...filterConditions(query.filter),
    ...(tagKey === null ? [] : [['tag_key', tagKey] as const]),
    ...(tag ? [['tag_value', tag.value] as const] : []),
  ];
  for (const [column, value] of conditions) {
    const stored = typeof value === 'number' ? value : yield* names.find(value);
    if (stored === undefined) return null;
    fixed.push([column, stored]);
  }
  return fixed;
}

/** Returns the conditions with several values, with their numbers; null = no row matches. */
function* matchedColumns(
  names: NameTable,
  { filter }: SumQuery,
): SqlSteps<
  readonly { readonly column: string; readonly values: readonly number[]; readonly isNot: boolean }[] | null
> {
  const matched = [];
  for (const { column, values, isNot } of columnMatches(filter)) {
    const stored: number[] = [];
    for (const value of values) {
      const found = typeof value === 'number' ? value : yield* names.find(value);
      if (found !== undefined) stored.push(found);
    }
    if (stored.length === 0 && !isNot) return null;
    if (stored.length > 0) matched.push({ column, values: stored, isNot });
  }
  return matched;
}

/** Column of a group, in the table and as it is returned. */
interface SumColumn {
  readonly inner: string;
  readonly outer: string;
}

function outerColumn(column: GroupColumn): string {
  const isStored = NUMBERS.has(column) || isContextColumn(column);
  return isStored ? column : `(SELECT text FROM names WHERE id = ${column}) AS ${column}`;
}

function sumSql(
  from: string,
  { times }: SumQuery,
  columns: readonly SumColumn[],
  where: readonly string[],
  more: readonly string[] = [],
): string {
  const sums = [
    ...MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`),
    ...(times ? ['min(start) AS first_at', 'max("end") AS last_at'] : []),
  ];
  const summed = [...MEASURE_COLUMNS, ...(times ? ['first_at', 'last_at'] : [])];
  const groups = columns.map((_, index) => index + 1).join(', ');
  return `SELECT ${[...more, ...columns.map(({ outer }) => outer), ...summed].join(', ')} FROM (
    SELECT ${[...columns.map(({ inner }) => inner), ...sums].join(', ')} FROM ${from}
    WHERE ${where.join(' AND ')} ${groups ? `GROUP BY ${groups}` : 'HAVING count(*) > 0'}) AS sums`;
}

function toGroup(row: ResultRow, { by, times }: SumQuery): SumGroup {
  return {
    values: by.map((column) => toGroupValue(row[column])),
    totals: readTotals(row, MEASURES),
    times: times ? { start: Number(row['first_at']), end: Number(row['last_at']) } : null,
  };
}

/** Columns with numbers, which are not those of names. */
const NUMBERS: ReadonlySet<string> = new Set(['status', 'hour']);
const HOUR = `start - start % ${HOUR_MS} AS hour`;

/** The index of sessions has 16 characters of their names. */
const SESSION_KEY = perDialect((dialect) => `session_key = substr(:session, 1, 8) || ${dialect.ending(':session', 8)}`);

/** Converts a group value: a text, or the number of a status or an hour. */
function toGroupValue(value: unknown): string | null {
  return typeof value === 'bigint' ? value.toString() : (value as string | null);
}

/** Sums the entries of a range, without roll-ups, in pieces. */
export function* sumEntries(
  reader: EntrySlices,
  workspaceId: string,
  query: SumQuery,
  range: Period,
  take: (group: SumGroup) => void,
): SqlSteps<void> {
  const workspace = yield* reader.names.find(workspaceId);
  if (workspace === undefined) return;
  const read = function* (part: Period): SqlSteps<void> {
    (yield* sumDetail(reader, workspace, query, part)).forEach(take);
  };
  yield* reader.inSlices(workspace, range, read, query.filter.session);
}

/** Sums the entries of parts of a range, newest first, until `take` returns false. */
export function* sumNewestEntries(
  reader: EntrySlices,
  workspaceId: string,
  query: SumQuery,
  range: Period,
  take: (groups: readonly SumGroup[], start: number, entries: number) => boolean,
): SqlSteps<void> {
  const workspace = yield* reader.names.find(workspaceId);
  if (workspace === undefined) return;
  yield* reader.newestFirst(workspace, range, function* (part, entries) {
    const groups = yield* sumDetail(reader, workspace, query, part);
    return take(groups, part.start, entries);
  });
}

/** Passes the sums of a range to `take` in pieces: a combination of values may occur several times. */
export function* sumRange(
  reader: EntryReader,
  workspaceId: string,
  query: SumQuery,
  range: Period,
  take: (group: SumGroup) => void,
): SqlSteps<void> {
  yield* sumParts(reader, workspaceId, query, [range], (_, group) => take(group));
}

type TakePart = (part: number, group: SumGroup) => void;

/**
 * Passes the sums of each part of a range to `take`, with the number of the part. The parts follow each other. All that
 * roll-ups have is read with few questions: where the database is a server, each costs a round trip.
 */
export function* sumParts(
  reader: EntryReader,
  workspaceId: string,
  query: SumQuery,
  parts: readonly Period[],
  take: TakePart,
): SqlSteps<void> {
  const workspace = yield* reader.names.find(workspaceId);
  if (workspace === undefined) return;
  const shape = chooseRollup(query);
  const segments = shape
    ? yield* split(reader, { workspaceId, workspace }, parts)
    : parts.map((range, part) => ({ from: 'detail' as const, ...range, part }));
  for (const { part, ...segment } of segments)
    if (segment.from === 'detail')
      yield* reader.entries.sum(reader, workspaceId, query, segment, (group) => take(part, group));
  for (const grain of shape ? GRAINS : []) {
    const ofGrain = segments.filter(({ from }) => from === grain);
    yield* sumRollup(reader, workspace, query, `${shape?.name}_${grain}`, ofGrain, take);
  }
}

interface NumberedWorkspace {
  readonly workspaceId: string;
  readonly workspace: number;
}

/**
 * Splits each part. Moves the bounds of the whole outwards to a whole day or hour if no entry lies between: a query up to
 * now then reads the roll-up of the current hour instead of its thousands of entries.
 */
function* split(
  reader: EntryReader,
  { workspaceId, workspace }: NumberedWorkspace,
  parts: readonly Period[],
): SqlSteps<NumberedSegment[]> {
  const begins = yield* readDetailBegins(workspace);
  const isEmpty = function* (start: number, end: number): SqlSteps<boolean> {
    if (start >= end) return true;
    if (start < begins) return false;
    return !(yield* reader.entries.hasMoreThan(reader, workspaceId, { start, end }, 0));
  };
  const [first, last] = [parts[0], parts.at(-1)];
  if (!first || !last) return [];
  let [from, to] = [first.start, last.end];
  for (const whole of UNITS.map((unit) => floor(first.start, unit))) if (yield* isEmpty(whole, from)) from = whole;
  for (const whole of UNITS.map((unit) => ceil(last.end, unit))) if (yield* isEmpty(to, whole)) to = whole;
  return parts.flatMap((one, part) => {
    const range = { start: one === first ? from : one.start, end: one === last ? to : one.end };
    return splitRange(range, begins).map(({ from: source, start, end }) => ({ from: source, start, end, part }));
  });
}

/** The larger last, because it is tried last. */
const UNITS = [HOUR_MS, DAY_MS];
