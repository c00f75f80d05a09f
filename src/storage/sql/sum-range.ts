import { ceil, floor, type RangeSegment, splitRange } from '../range-segments.ts';
import { type EntryReader, readDetailBegins } from './entry-reader.ts';
import { askSums, type SqlSteps } from './steps.ts';
import { chooseRollup, filterConditions, isContextColumn, singleTagKey, type SumQuery } from './sum-query.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';
import { MEASURE_COLUMNS, MEASURES } from '../totals.ts';
import { type Dialect, perDialect } from './dialect.ts';
import type { EntrySlices, SqlContext, SumGroup } from './entry-table.ts';
import type { NameTable } from './name-table.ts';
import type { RollupShape } from './rollups.ts';
import { readTotals } from './totals-row.ts';
import type { Period } from '../../domain/time/period.ts';

type SumParameters = Record<string, string | number>;

/** Sums one segment: roll-up rows of its grain, or entries; both have the same columns. */
function* sumSegment(
  { names, dialect }: SqlContext,
  workspace: number,
  query: SumQuery,
  shape: RollupShape | null,
  segment: RangeSegment,
): SqlSteps<SumGroup[]> {
  const from = shape && segment.from !== 'detail' ? `${shape.name}_${segment.from}` : 'entry_measures';
  const parameters: SumParameters = { workspace, start: segment.start, end: segment.end };
  const where = ['workspace = :workspace', 'start >= :start', 'start < :end'];
  for (const [column, value] of filterConditions(query.filter)) {
    const stored = typeof value === 'number' || isContextColumn(column) ? value : yield* names.find(value);
    if (stored === undefined) return [];
    where.push(`${column} = :${column}`);
    if (column === 'session') where.push(SESSION_KEY(dialect));
    parameters[column] = stored;
  }
  if (query.ofAssistants) where.push('session_hash IS NOT NULL');
  const tags = from === 'entry_measures' ? detailTags(dialect, query) : yield* rollupTags(names, query);
  if (!tags) return [];
  const sql = sumSql(dialect, from, query, [...where, ...tags.where]);
  const rows = yield askSums(sql, { ...parameters, ...tags.parameters });
  return rows.map((row) => ({
    values: query.by.map((column) => toGroupValue(row[column])),
    totals: readTotals(row, MEASURES),
    times: query.times ? { start: Number(row['first_at']), end: Number(row['last_at']) } : null,
  }));
}

interface TagConditions {
  readonly where: readonly string[];
  readonly parameters: SumParameters;
}

/** Entries carry their tags as JSON. */
function detailTags(dialect: Dialect, { tagKey, filter }: SumQuery): TagConditions {
  return {
    where: filter.tag ? [`${dialect.tagValue('tags', ':filter_key')} = :filter_value`] : [],
    parameters: {
      ...(tagKey === null ? {} : { tag_key: tagKey }),
      ...(filter.tag ? { filter_key: filter.tag.key, filter_value: filter.tag.value } : {}),
    },
  };
}

/** Returns null for a name that was never seen. */
function* rollupTags(names: NameTable, query: SumQuery): SqlSteps<TagConditions | null> {
  const tagKey = singleTagKey(query);
  if (tagKey === null || tagKey === undefined) return { where: [], parameters: {} };
  const tag_key = yield* names.find(tagKey);
  if (tag_key === undefined) return null;
  if (!query.filter.tag) return { where: ['tag_key = :tag_key'], parameters: { tag_key } };
  const tag_value = yield* names.find(query.filter.tag.value);
  if (tag_value === undefined) return null;
  return { where: ['tag_key = :tag_key', 'tag_value = :tag_value'], parameters: { tag_key, tag_value } };
}

function sumSql(dialect: Dialect, from: string, { by, times }: SumQuery, where: readonly string[]): string {
  const inner = by.map((column) => {
    if (column === 'hour') return HOUR;
    return from === 'entry_measures' && column === 'tag_value'
      ? `${dialect.tagValue('tags', ':tag_key')} AS tag_value`
      : column;
  });
  const outer = by.map((column) =>
    NUMBERS.has(column) || isContextColumn(column) || (from === 'entry_measures' && column === 'tag_value')
      ? column
      : `(SELECT text FROM names WHERE id = ${column}) AS ${column}`,
  );
  const sums = [
    ...MEASURE_COLUMNS.map((column) => `sum(${column}) AS ${column}`),
    ...(times ? ['min(start) AS first_at', 'max("end") AS last_at'] : []),
  ];
  const summed = [...MEASURE_COLUMNS, ...(times ? ['first_at', 'last_at'] : [])];
  const groups = by.map((_, index) => index + 1).join(', ');
  return `SELECT ${[...outer, ...summed].join(', ')} FROM (
    SELECT ${[...inner, ...sums].join(', ')} FROM ${from}
    WHERE ${where.join(' AND ')} ${groups ? `GROUP BY ${groups}` : 'HAVING count(*) > 0'}) AS sums`;
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
    (yield* sumSegment(reader, workspace, query, null, { from: 'detail', ...part })).forEach(take);
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
    const groups = yield* sumSegment(reader, workspace, query, null, { from: 'detail', ...part });
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
  const workspace = yield* reader.names.find(workspaceId);
  if (workspace === undefined) return;
  const shape = chooseRollup(query);
  const segments = shape ? yield* split(reader, workspaceId, range) : [{ from: 'detail' as const, ...range }];
  for (const segment of segments)
    if (segment.from === 'detail') yield* reader.entries.sum(reader, workspaceId, query, segment, take);
    else (yield* sumSegment(reader, workspace, query, shape, segment)).forEach(take);
}

/**
 * Moves a bound outwards to a whole day or hour if no entry lies between. A query up to now then reads the roll-up of
 * the current hour instead of its thousands of entries.
 */
function* split(reader: EntryReader, workspaceId: string, range: Period): SqlSteps<RangeSegment[]> {
  const workspace = yield* reader.names.find(workspaceId);
  const begins = workspace === undefined ? 0 : yield* readDetailBegins(workspace);
  const isEmpty = function* (start: number, end: number): SqlSteps<boolean> {
    if (start < begins) return false;
    return !(yield* reader.entries.hasMoreThan(reader, workspaceId, { start, end }, 0));
  };
  const { start, end } = range;
  let [from, to] = [start, end];
  for (const whole of UNITS.map((unit) => floor(start, unit))) if (yield* isEmpty(whole, start)) from = whole;
  for (const whole of UNITS.map((unit) => ceil(end, unit))) if (yield* isEmpty(end, whole)) to = whole;
  return splitRange({ start: from, end: to }, begins);
}

/** The larger last, because it is tried last. */
const UNITS = [HOUR_MS, DAY_MS];
