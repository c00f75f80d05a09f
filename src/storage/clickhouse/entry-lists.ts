import { eachValues } from '../../domain/limits/each-value.ts';
import { type LimitScope, NO_VALUE } from '../../domain/limits/limit.ts';
import type { Period } from '../../domain/time/period.ts';
import { modelMatcher } from '../backfill.ts';
import { type EntryCursor, formatCursor, parseCursor } from '../cursor.ts';
import { effectiveEntry } from '../effective-entry.ts';
import type { AgentParentsQuery } from '../counter-store.ts';
import type { EntryPlace, NumberedEntry, UncertainCount } from '../sql/entry-table.ts';
import { number, type ResultRow, text, textOrNull } from '../sql/result-row.ts';
import type { SqlSteps } from '../sql/steps.ts';
import type {
  CallHold,
  CallHolds,
  CallHoldsQuery,
  EntriesQuery,
  EntryFilter,
  RecordedEntry,
} from '../usage-queries.ts';
import type { ClickhouseParameters } from './clickhouse-connection.ts';
import { CALL_COLUMNS, fromCallRow, fromCorrectionRow } from './entry-columns.ts';
import { buildFilter, type RowConditions, tagValue } from './entry-sums.ts';
import { fromEntries, type StoredRows, TABLE } from './stored-rows.ts';

const IN_RANGE = 'started_at >= {start:Int64} AND started_at < {end:Int64}';
/** Call ids that one question names. */
const IDS_MAX = 500;
/** Corrections that are read without naming their calls. */
const CORRECTIONS_MAX = 5_000;
/** Calls that one question reads for limits. */
const HOLDS_AT_ONCE = 20_000;
const FOUND_MAX = 20;
/** Entries of the first part of a page's range, and how much larger each further part is. */
const PAGE_ENTRIES = 2_000;
const PAGE_GROWTH = 10;
const FROM_START: EntryPlace = { startedAt: 0, id: -1 };
/** ClickHouse would read all rows before a place that is compared as a tuple only. */
const AFTER = 'started_at >= {after_time:Int64} AND (started_at, id) > ({after_time:Int64}, {after_id:Int64})';

const OF_TIME = ['correction > 0', 'started_at >= {first:Int64} AND started_at <= {last:Int64}'];
const OF_CALLS = `SELECT call_id, detail FROM ${fromEntries(...OF_TIME, 'call_id IN {ids:Array(String)}')}
  ORDER BY correction`;
const OF_ANY_CALL = `SELECT call_id, detail FROM ${fromEntries(...OF_TIME)} ORDER BY correction LIMIT {limit:Int64}`;

/** Reads calls with their corrections. */
export function* readStoredCalls(
  stored: StoredRows,
  parameters: ClickhouseParameters & { readonly workspace: string },
  conditions: readonly string[],
  rest: string,
): SqlSteps<NumberedEntry[]> {
  const sql = `SELECT ${CALL_COLUMNS}, summed_model FROM ${fromEntries('correction = 0', ...conditions)} ${rest}`;
  const rows = yield* stored.ask(sql, parameters);
  const corrections = yield* readCorrections(stored, parameters.workspace, rows);
  return rows.map((row) => ({
    id: number(row, 'id'),
    summedModel: textOrNull(row, 'summed_model'),
    recorded: {
      entry: fromCallRow(row),
      adjustments: (corrections.get(text(row, 'call_id')) ?? []).map(fromCorrectionRow),
    },
  }));
}

function* readCorrections(
  stored: StoredRows,
  workspace: string,
  calls: readonly ResultRow[],
): SqlSteps<Map<string, ResultRow[]>> {
  const found: ResultRow[] = [];
  if (calls.length > IDS_MAX) {
    const all = yield* stored.ask(OF_ANY_CALL, { workspace, ...startsBetween(calls), limit: CORRECTIONS_MAX });
    if (all.length < CORRECTIONS_MAX) return groupByCall(all);
  }
  for (let from = 0; from < calls.length; from += IDS_MAX) {
    const part = calls.slice(from, from + IDS_MAX);
    const ids = part.map((row) => text(row, 'call_id'));
    found.push(...(yield* stored.ask(OF_CALLS, { workspace, ids, ...startsBetween(part) })));
  }
  return groupByCall(found);
}

function groupByCall(corrections: readonly ResultRow[]): Map<string, ResultRow[]> {
  return Map.groupBy(corrections, (row) => text(row, 'call_id'));
}

function startsBetween(calls: readonly ResultRow[]): { readonly first: number; readonly last: number } {
  let [first, last] = [Infinity, -Infinity];
  for (const row of calls) {
    const start = number(row, 'started_at');
    first = Math.min(first, start);
    last = Math.max(last, start);
  }
  return { first, last };
}

/** Reads the next calls in order of start. */
export function* readFollowingStored(
  stored: StoredRows,
  workspaceId: string,
  { start, end }: Period,
  { startedAt, id }: EntryPlace,
  limit: number,
): SqlSteps<NumberedEntry[]> {
  const given = { workspace: workspaceId, start, end, after_time: startedAt, after_id: id, limit };
  return yield* readStoredCalls(stored, given, [IN_RANGE, AFTER], 'ORDER BY started_at, id LIMIT {limit:Int64}');
}

/** Finds the newest calls with a provider id of request or answer. */
export function* findStored(stored: StoredRows, workspaceId: string, id: string): SqlSteps<RecordedEntry[]> {
  const given = { workspace: workspaceId, provider_id: id };
  const isIt = '(request_id = {provider_id:String} OR response_id = {provider_id:String})';
  const found = yield* readStoredCalls(stored, given, [isIt], `ORDER BY started_at DESC, id DESC LIMIT ${FOUND_MAX}`);
  return found.map(({ recorded }) => recorded);
}

interface EntriesPage {
  readonly rows: RecordedEntry[];
  readonly next: string | null;
}

const BOUND = `SELECT started_at FROM ${TABLE} WHERE workspace = {workspace:String}
  AND started_at >= {start:Int64} AND started_at < {end:Int64} ORDER BY started_at DESC LIMIT 1 OFFSET {skip:Int64}`;

/**
 * Reads a page, newest first, from parts of the range. Each part is larger than the one before, because a filter may match few
 * entries. One extra row shows that another page follows.
 */
export function* readStoredPage(stored: StoredRows, workspaceId: string, query: EntriesQuery): SqlSteps<EntriesPage> {
  const { range, cursor, limit, scanMax = Infinity } = query;
  const before: EntryCursor = cursor === null ? { startedAt: range.end, id: 0 } : parseCursor(cursor);
  const { where, parameters } = buildPageFilter(query.filter);
  const conditions = [IN_RANGE, '(started_at, id) < ({before_time:Int64}, {before_id:Int64})', ...where];
  const found: NumberedEntry[] = [];
  let entries = Math.min(Math.max(PAGE_ENTRIES, limit + 1), scanMax);
  for (let end = Math.min(range.end, before.startedAt + 1); found.length <= limit && range.start < end;) {
    const place = { workspace: workspaceId, start: range.start, end };
    const [bound] = yield* stored.ask(BOUND, { ...place, skip: entries - 1 });
    const start = bound ? number(bound, 'started_at') : range.start;
    const given = { ...parameters, ...place, start, before_time: before.startedAt, before_id: before.id };
    const rest = 'ORDER BY started_at DESC, id DESC LIMIT {limit:Int64}';
    found.push(...(yield* readStoredCalls(stored, { ...given, limit: limit + 1 - found.length }, conditions, rest)));
    end = start;
    entries *= PAGE_GROWTH;
  }
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const next = found.length > limit && last ? { startedAt: last.recorded.entry.startedAt, id: last.id } : null;
  return { rows: page.map(({ recorded }) => recorded), next: next && formatCursor(next) };
}

/** SQL: calls of the range for which a measure is not 0, with all corrections. */
function hasMeasure(measure: 'uncertain_calls' | 'unpriced_calls', range: string): string {
  return `call_id IN (SELECT call_id FROM ${fromEntries(range, `${measure} != 0`)}
    GROUP BY call_id HAVING sum(${measure}) > 0)`;
}

function buildPageFilter(filter: EntryFilter): RowConditions {
  const { model, matches = [], ...others } = filter;
  const plain = buildFilter({ ...others, matches: matches.filter(({ of }) => of !== 'model') });
  const where = [...plain.where];
  const more: Record<string, string | number | string[]> = {};
  if (model !== undefined) {
    where.push('(model = {model:String} OR summed_model = {model:String})');
    more['model'] = model;
  }
  for (const [index, { values, isNot }] of matches.filter(({ of }) => of === 'model').entries()) {
    const list = `{models_${index}:Array(String)}`;
    where.push(`${isNot ? 'NOT ' : ''}ifNull(model IN ${list} OR summed_model IN ${list}, 0)`);
    more[`models_${index}`] = values.map(String);
  }
  if (filter.outcome !== undefined) {
    where.push('outcome = {outcome:String}');
    more['outcome'] = filter.outcome;
  }
  if (filter.uncertain !== undefined)
    where.push(`${filter.uncertain ? '' : 'NOT '}${hasMeasure('uncertain_calls', IN_RANGE)}`);
  if (filter.recordedReason !== undefined) {
    where.push('uncertain_reason = {recorded_reason:String}');
    more['recorded_reason'] = filter.recordedReason;
  }
  if (filter.unpriced !== undefined)
    where.push(`${filter.unpriced ? '' : 'NOT '}${hasMeasure('unpriced_calls', IN_RANGE)}`);
  if (filter.costMin !== undefined) {
    where.push(`call_id IN (SELECT call_id FROM ${fromEntries(IN_RANGE)} GROUP BY call_id
      HAVING argMax(tuple(cost_after), correction).1 >= {cost_min:Int64})`);
    more['cost_min'] = filter.costMin;
  }
  if (filter.renamedSession !== undefined) {
    where.push('session_hash = {session_hash:String} AND session != session_hash');
    more['session_hash'] = filter.renamedSession;
  }
  return { where, parameters: { ...plain.parameters, ...more } };
}

const ENDED = 'ended_at >= {start:Int64} AND ended_at < {end:Int64}';
const COUNT_UNCERTAIN = `SELECT count() AS entries, max(ended_at) AS last FROM (
  SELECT ended_at FROM ${fromEntries(ENDED, 'correction = 0', hasMeasure('uncertain_calls', ENDED))}
  ORDER BY ended_at LIMIT {limit:Int64})`;

export function* countStoredUncertain(
  stored: StoredRows,
  workspaceId: string,
  { start, end }: Period,
  limit: number,
): SqlSteps<UncertainCount> {
  const [row = {}] = yield* stored.ask(COUNT_UNCERTAIN, { workspace: workspaceId, start, end, limit });
  return { entries: number(row, 'entries'), last: number(row, 'last') };
}

export function* readStoredUncertain(
  stored: StoredRows,
  workspaceId: string,
  { start, end }: Period,
): SqlSteps<NumberedEntry[]> {
  const given = { workspace: workspaceId, start, end };
  return yield* readStoredCalls(stored, given, [ENDED, hasMeasure('uncertain_calls', ENDED)], 'ORDER BY ended_at, id');
}

const HOLDS_FLOOR = `SELECT started_at FROM ${fromEntries(IN_RANGE, 'correction = 0')}
  ORDER BY started_at DESC LIMIT 1 OFFSET {skip:Int64}`;

/** Reads the calls of a scope in order of start, in parts. */
export function* readStoredHolds(
  stored: StoredRows,
  workspaceId: string,
  { range, scope, pricedAs, entriesMax }: CallHoldsQuery,
): SqlSteps<CallHolds> {
  const workspace = workspaceId;
  const [floor] = yield* stored.ask(HOLDS_FLOOR, { workspace, ...range, skip: entriesMax });
  // The oldest millisecond may be incomplete.
  const from = floor ? Math.min(number(floor, 'started_at') + 1, range.end) : range.start;
  const { where, parameters } = scopeConditions(scope);
  const matches = scope.kind === 'model' ? modelMatcher(scope.pattern, pricedAs) : null;
  const calls: CallHold[] = [];
  for (let after = FROM_START; ;) {
    const given = { ...parameters, workspace, start: from, end: range.end, limit: HOLDS_AT_ONCE };
    const found = yield* readStoredCalls(
      stored,
      { ...given, after_time: after.startedAt, after_id: after.id },
      [IN_RANGE, AFTER, "source = 'proxy'", 'sent = 1', ...where],
      'ORDER BY started_at, id LIMIT {limit:Int64}',
    );
    for (const { recorded } of found) {
      const call = toCallHold(recorded, scope);
      if (matches === null || (call.requestedModel !== null && matches(call.provider, call.requestedModel)))
        calls.push(call);
    }
    const last = found.at(-1);
    if (!last || found.length < HOLDS_AT_ONCE) return { calls, from };
    after = { startedAt: last.recorded.entry.startedAt, id: last.id };
    yield;
  }
}

function scopeConditions(scope: LimitScope): RowConditions {
  switch (scope.kind) {
    case 'key':
      return { where: ['key = {name:String}'], parameters: { name: scope.keyId } };
    case 'provider':
      return { where: ['provider = {name:String}'], parameters: { name: scope.provider } };
    case 'each':
      return scope.keyId === null ? EVERY_CALL : { where: ['key = {name:String}'], parameters: { name: scope.keyId } };
    case 'tag':
      return {
        where: [`${tagValue('tag')} = {value:String}`],
        parameters: { tag: scope.key, value: scope.value },
      };
    case 'each_tag':
    case 'workspace':
    case 'model':
      return EVERY_CALL;
  }
}

const EVERY_CALL: RowConditions = { where: [], parameters: {} };

function toCallHold(recorded: RecordedEntry, scope: LimitScope): CallHold {
  const { startedAt, endedAt, keyId, provider, requestedModel, hold, counted } = effectiveEntry(recorded);
  const { tags, context } = recorded.entry;
  const hasTag = scope.kind === 'each_tag' && Object.hasOwn(tags, scope.key);
  const ofTag = hasTag ? (tags[scope.key] ?? NO_VALUE) : NO_VALUE;
  const ofEach = scope.kind === 'each' ? eachValues(scope.of, context) : [''];
  const values = scope.kind === 'each_tag' ? [ofTag] : ofEach;
  return { startedAt, endedAt, keyId, provider, requestedModel, hold, counted, values };
}

const SESSIONS = `SELECT DISTINCT session FROM ${fromEntries('correction = 0', 'startsWith(session, {prefix:String})')}
  LIMIT {limit:Int64}`;

export function* listStoredSessions(
  stored: StoredRows,
  workspaceId: string,
  prefix: string,
  limit: number,
): SqlSteps<string[]> {
  const rows = yield* stored.ask(SESSIONS, { workspace: workspaceId, prefix, limit });
  return rows.map((row) => text(row, 'session'));
}

const PARENTS = `SELECT DISTINCT parent_agent FROM ${fromEntries(
  'correction = 0',
  'key = {key:String}',
  "ifNull(session, '') = {session:String}",
  'agent = {agent:String}',
  "parent_agent > ''",
)} ORDER BY parent_agent LIMIT {limit:Int64}`;

export function* readStoredParents(
  stored: StoredRows,
  { workspaceId, keyId, session, parentsMax }: Omit<AgentParentsQuery, 'agents' | 'agentsMax'>,
  agent: string,
): SqlSteps<string[]> {
  const given = { workspace: workspaceId, key: keyId, session: session ?? '', agent, limit: parentsMax };
  const rows = yield* stored.ask(PARENTS, given);
  return rows.map((row) => text(row, 'parent_agent'));
}
