import { type EntryCursor, formatCursor, parseCursor } from '../cursor.ts';
import { toRecordedEntries } from './read-entry.ts';
import { ENTRY_COLUMNS } from './entry-rows.ts';
import { number } from './result-row.ts';
import { type ColumnMatch, columnMatches, filterConditions, isContextColumn, matchSql } from './sum-query.ts';
import { perDialect } from './dialect.ts';
import { SESSION } from './entry-reader.ts';
import type { SqlContext } from './entry-table.ts';
import { ask, type SqlSteps } from './steps.ts';
import type { EntriesQuery, RecordedEntry } from '../usage-queries.ts';

export interface EntriesPage {
  readonly rows: RecordedEntry[];
  readonly next: string | null;
}

/**
 * Reads a page, newest first; within one millisecond in reverse order of arrival. One extra row shows that another
 * page follows. A filter without an index ends the page at its floor: the `scanMax`-th entry.
 */
export function* readEntriesPage(context: SqlContext, workspaceId: string, query: EntriesQuery): SqlSteps<EntriesPage> {
  const found = yield* buildConditions(context, workspaceId, query);
  if (!found) return { rows: [], next: null };
  // Unpriced entries are few: their work list leads, in the same order as the index of entries.
  const { entries, entriesOfSession, unpriced } = SOURCES(context.dialect);
  const all = query.filter.session === undefined ? entries : entriesOfSession;
  const list = query.filter.unpriced ? unpriced : all;
  const floor = found.isIndexed ? null : yield* findFloor(list, found, query);
  const where = [...list.where, ...found.where, ...(floor ? list.floor : [])];
  const rows = yield ask(
    `SELECT ${ENTRY_COLUMNS} FROM ${list.from} WHERE ${where.join(' AND ')} ORDER BY ${list.order} LIMIT :limit`,
    {
      ...found.parameters,
      ...(floor && { first: floor.startedAt, floor_time: floor.startedAt, floor_id: floor.id }),
      limit: query.limit + 1,
    },
  );
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const hasMore = rows.length > page.length && last !== undefined;
  const end = hasMore ? { startedAt: number(last, 'started_at'), id: number(last, 'id') } : floor;
  return { rows: yield* toRecordedEntries(page), next: end && formatCursor(end) };
}

/** Returns the last entry that a page may read; null = no bound. */
function* findFloor(
  list: EntrySource,
  { parameters }: EntryConditions,
  { scanMax }: EntriesQuery,
): SqlSteps<EntryCursor | null> {
  if (scanMax === undefined) return null;
  const { workspace = 0, first = 0, last = 0, before_time = 0, before_id = 0 } = parameters;
  const [row] = yield ask(
    `SELECT ${list.startedAt} AS started_at, ${list.id} AS id FROM ${list.alone}
     WHERE ${list.where.join(' AND ')} ORDER BY ${list.order} LIMIT 1 OFFSET :skip`,
    { workspace, first, last, before_time, before_id, skip: scanMax - 1 },
  );
  return row ? { startedAt: number(row, 'started_at'), id: number(row, 'id') } : null;
}

type EntrySource = ReturnType<typeof entrySource>;

const SOURCES = perDialect((dialect) => {
  const entries = entrySource('entries e', '', 'e.workspace', 'e.started_at', 'e.id');
  const join = dialect.joinEntries('e.id = u.entry AND e.started_at = u.started_at');
  return {
    entries,
    entriesOfSession: { ...entries, from: `entries e ${SESSION(dialect).indexed}` },
    unpriced: entrySource('unpriced u', join, 'u.workspace', 'u.started_at', 'u.entry'),
  };
});

function entrySource(alone: string, join: string, workspace: string, startedAt: string, id: string) {
  return {
    /** The index or work list alone. */
    alone,
    from: `${alone} ${join}`,
    startedAt,
    id,
    where: [
      `${workspace} = :workspace`,
      // One bound on each side: of several, the index would follow one and read on past the others.
      `${startedAt} >= :first`,
      `${startedAt} <= :last`,
      `(${startedAt} < :before_time OR ${id} < :before_id)`,
    ],
    floor: [`(${startedAt} > :floor_time OR ${id} >= :floor_id)`],
    order: `${startedAt} DESC, ${id} DESC`,
  };
}

interface EntryConditions {
  readonly where: readonly string[];
  readonly parameters: Record<string, string | number>;
  /** Every condition has an index. */
  readonly isIndexed: boolean;
}

/** Returns null for a name that was never seen. */
function* buildConditions(
  context: SqlContext,
  workspaceId: string,
  { range, filter, cursor }: EntriesQuery,
): SqlSteps<EntryConditions | null> {
  const { names, dialect } = context;
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return null;
  const before = cursor === null ? { startedAt: range.end, id: 0 } : parseCursor(cursor);
  const where: string[] = [];
  const parameters: Record<string, string | number> = {
    workspace,
    first: range.start,
    last: Math.min(range.end - 1, before.startedAt),
    before_time: before.startedAt,
    before_id: before.id,
  };
  for (const [column, value] of entryConditions(filter)) {
    if (isContextColumn(column)) {
      where.push(column === 'session' ? SESSION(dialect).condition : `e.${column} = :${column}`);
      parameters[column] = value;
      continue;
    }
    const id = typeof value === 'number' ? value : yield* names.find(value);
    if (id === undefined && column !== 'model') return null;
    where.push(column === 'model' ? '(e.model = :model OR e.model_text = :model_text)' : `e.${column} = :${column}`);
    parameters[column] = id ?? NEVER;
    if (column === 'model') parameters['model_text'] = value;
  }
  for (const [index, match] of columnMatches(filter).entries()) {
    const found = yield* matchCondition(context, match, `match_${index}`);
    where.push(found.condition);
    Object.assign(parameters, found.parameters);
  }
  if (filter.tag) {
    where.push(`${dialect.tagValue('e.tags', ':tag_key')} = :tag_value`);
    Object.assign(parameters, { tag_key: filter.tag.key, tag_value: filter.tag.value });
  }
  if (filter.uncertain !== undefined)
    where.push(filter.uncertain ? UNCERTAIN : '(e.uncertain_calls = 0 OR e.resolved = 1)');
  if (filter.recordedReason !== undefined) {
    const reason = yield* names.find(filter.recordedReason);
    if (reason === undefined) return null;
    where.push(RECORDED_REASON);
    parameters['recorded_reason'] = reason;
  }
  if (filter.unpriced === false) where.push(NOT_UNPRICED);
  if (filter.costMin !== undefined) {
    where.push(COST_MIN);
    parameters['cost_min'] = filter.costMin;
  }
  if (filter.renamedSession !== undefined) {
    where.push(RENAMED_SESSION);
    parameters['session_hash'] = filter.renamedSession;
  }
  const indexed = [UNCERTAIN, RENAMED_SESSION, SESSION(dialect).condition];
  return { where, parameters, isIndexed: where.every((condition) => indexed.includes(condition)) };
}

interface MatchCondition {
  readonly condition: string;
  readonly parameters: Record<string, string | number>;
}

/** Builds the condition for several values, or for values that are left out. */
function* matchCondition(
  { names, dialect }: SqlContext,
  { column, tagKey, values, isNot }: ColumnMatch,
  name: string,
): SqlSteps<MatchCondition> {
  const parameters: Record<string, string | number> = tagKey === null ? {} : { [name]: tagKey };
  const isText = tagKey !== null || isContextColumn(column);
  for (const [place, value] of values.entries()) {
    const isStored = isText || typeof value === 'number';
    parameters[`${name}_${place}`] = isStored ? value : ((yield* names.find(value)) ?? NEVER);
    if (column === 'model') parameters[`${name}_${place}_text`] = value;
  }
  const list = values.map((_, place) => `:${name}_${place}`);
  if (tagKey !== null) return { condition: matchSql(dialect.tagValue('e.tags', `:${name}`), list, isNot), parameters };
  if (column === 'session') return { condition: matchSql(SESSION(dialect).value, list, isNot), parameters };
  if (column !== 'model') return { condition: matchSql(`e.${column}`, list, isNot), parameters };
  const texts = list.map((parameter) => `${parameter}_text`);
  const both = [matchSql('e.model', list, isNot), matchSql('e.model_text', texts, isNot)];
  return { condition: `(${both.join(isNot ? ' AND ' : ' OR ')})`, parameters };
}

function entryConditions(filter: EntriesQuery['filter']): [string, string | number][] {
  const plain: [string, string | number][] = filterConditions(filter);
  return filter.outcome === undefined ? plain : [...plain, ['outcome', filter.outcome]];
}

/** A number that no name has. */
const NEVER = -1;

const UNCERTAIN = 'e.uncertain_calls = 1 AND e.resolved = 0';
const RECORDED_REASON = 'e.uncertain_reason = :recorded_reason';
const RENAMED_SESSION = `substr(e.session_hash, 1, 16) = substr(:session_hash, 1, 16)
  AND e.session_hash = :session_hash AND e.session_hash IS NOT NULL AND e.session_name IS NOT NULL`;
/** Condition on the effective cost. */
const COST_MIN = `(CASE WHEN EXISTS (SELECT 1 FROM adjustments a WHERE a.entry = e.id)
  THEN (SELECT a.cost_after FROM adjustments a WHERE a.entry = e.id ORDER BY a.id DESC LIMIT 1) ELSE e.cost END) >= :cost_min`;

const NOT_UNPRICED = `NOT EXISTS (SELECT 1 FROM unpriced u
  WHERE u.workspace = e.workspace AND u.started_at = e.started_at AND u.entry = e.id)`;
