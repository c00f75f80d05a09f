import { LIMIT_UNITS } from '../../domain/limits/limit.ts';
import { REFUSAL_REASONS } from '../../domain/limits/refusal.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import type { Period } from '../../domain/time/period.ts';
import { NO_CONTEXT } from '../../domain/usage/call-context.ts';
import type { RefusedCall } from '../../domain/usage/refused-call.ts';
import { formatCursor, parseCursor } from '../cursor.ts';
import { ceil, floor } from '../range-segments.ts';
import { storedWord } from '../records/stored-word.ts';
import {
  REFUSALS_PER_WORKSPACE_MAX,
  type RefusalCount,
  type RefusalFilter,
  type RefusalQuery,
  type RefusalsPage,
  type RefusalStore,
  sortCounts,
} from '../refusal-store.ts';
import type { SqlContext } from './entry-table.ts';
import type { IdOf } from './name-table.ts';
import type { SqlLedger } from './sql-ledger.ts';
import { addColumns, ask, change, insertRows, type RowInsert, type SqlSteps, type SqlValue } from './steps.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';

/** Columns by which sums of refused calls differ. A row has one call, or a sum of those in one journal. */
const SUM_KEY = ['workspace', 'at', 'key', 'limit_id', 'reason', 'journal'];
const MORE_COLUMNS = [
  'is_sum',
  'calls',
  'provider',
  'unit',
  'model',
  'value',
  'needed',
  'remaining',
  'tags',
  'session_hash',
  'session',
  'agent',
  'parent_agent',
  'run',
  'request_class',
];
const INSERT_CALLS: RowInsert = {
  table: 'refusals',
  columns: ['call_id', ...SUM_KEY, ...MORE_COLUMNS],
  keyColumns: 0,
  onConflict: 'ON CONFLICT (call_id) WHERE is_sum = 0 DO NOTHING',
  returning: [...SUM_KEY, 'call_id'],
};
// Ids of the calls of a journal ascend: a part of a sum that was added before has an id that is not above the last.
const ADD_TO_SUMS: RowInsert = {
  table: 'refusals',
  columns: [...SUM_KEY, 'call_id', ...MORE_COLUMNS],
  keyColumns: SUM_KEY.length,
  onConflict: `ON CONFLICT (${SUM_KEY.join(', ')}) WHERE is_sum = 1
  DO UPDATE SET ${addColumns('refusals', ['calls'])}, call_id = excluded.call_id WHERE excluded.call_id > refusals.call_id`,
  returning: [...SUM_KEY, 'call_id'],
};
const HOUR_KEY = ['workspace', 'hour', 'limit_id', 'key', 'reason'];
const COUNT: RowInsert = {
  table: 'refusal_hours',
  columns: [...HOUR_KEY, 'calls'],
  keyColumns: HOUR_KEY.length,
  onConflict: `ON CONFLICT (${HOUR_KEY.join(', ')}) DO UPDATE SET ${addColumns('refusal_hours', ['calls'])}`,
  returning: [],
};

interface RefusalRow {
  readonly call: RefusedCall;
  /** In the order of `SUM_KEY`. */
  readonly key: readonly number[];
  readonly more: readonly SqlValue[];
}

/** Adds refused calls inside the caller's transaction. Calls and parts of sums that are known change nothing. */
export function* appendRefusals(
  { names }: SqlContext,
  journalId: string,
  refused: readonly RefusedCall[],
): SqlSteps<void> {
  const rows = yield* names.resolve((idOf) => refused.map((call) => toRefusalRow(call, journalId, idOf)));
  const added: RefusalRow[] = [];
  // In their order, because the newest is listed first, and several may be of one millisecond.
  for (let from = 0; from < rows.length;) {
    const isSum = rows[from]?.call.isSum;
    const next = rows.findIndex(({ call }, index) => index > from && call.isSum !== isSum);
    const part = rows.slice(from, next === -1 ? rows.length : next);
    added.push(...pickAdded(part, yield* isSum ? addToSums(part) : insertCalls(part)));
    from += part.length;
  }
  yield* countRefusals(added);
}

function insertCalls(rows: readonly RefusalRow[]): SqlSteps<readonly ResultRow[]> {
  return insertRows(
    INSERT_CALLS,
    rows.map(({ call, key, more }) => [call.callId, ...key, ...more]),
  );
}

function addToSums(rows: readonly RefusalRow[]): SqlSteps<readonly ResultRow[]> {
  return insertRows(
    ADD_TO_SUMS,
    rows.map(({ call, key, more }) => [...key, call.callId, ...more]),
  );
}

/** Returns the rows that were stored; of equal ones the first. */
function pickAdded(rows: readonly RefusalRow[], stored: readonly ResultRow[]): RefusalRow[] {
  const added = new Set(stored.map((row) => [...SUM_KEY, 'call_id'].map((column) => row[column]).join(' ')));
  return rows.filter(({ call, key }) => added.delete([...key, call.callId].join(' ')));
}

function* countRefusals(rows: readonly RefusalRow[]): SqlSteps<void> {
  const hours = new Map<string, number[]>();
  for (const { call, key } of rows) {
    const [workspace = 0, at = 0, keyId = 0, limit = 0, reason = 0] = key;
    const place = [workspace, floor(at, HOUR_MS), limit, keyId, reason];
    const before = hours.get(place.join(' '))?.at(-1) ?? 0;
    hours.set(place.join(' '), [...place, before + call.calls]);
  }
  yield* insertRows(COUNT, [...hours.values()]);
}

function toRefusalRow(call: RefusedCall, journalId: string, idOf: IdOf): RefusalRow {
  const { context } = call;
  const ids = [call.keyId, call.limitId, call.reason, journalId].map(idOf);
  return {
    call,
    key: [idOf(call.workspaceId), call.at, ...ids],
    more: [
      call.isSum ? 1 : 0,
      call.calls,
      idOf(call.provider),
      idOf(call.unit),
      wellFormedOrNull(call.model),
      wellFormedOrNull(call.value),
      call.needed,
      call.left,
      JSON.stringify(call.tags).toWellFormed(),
      call.sessionHash,
      wellFormedOrNull(context.session),
      wellFormedOrNull(context.agent),
      wellFormedOrNull(context.parentAgent),
      wellFormedOrNull(context.run),
      wellFormedOrNull(context.requestClass),
    ],
  };
}

function wellFormedOrNull(name: string | null): string | null {
  return name === null ? null : name.toWellFormed();
}

export function sqlRefusals(ledger: SqlLedger): RefusalStore {
  return {
    page: (workspaceId, query) => ledger.read((reader) => readPage(reader, workspaceId, query)),
    find: (workspaceId, callId) => ledger.read((reader) => findRefusal(reader, workspaceId, callId)),
    counts: (workspaceId, range, filter) =>
      ledger.read((reader) => readRefusalCounts(reader, workspaceId, range, filter)),
    prune: (workspaceId, before, limit) => ledger.write(() => pruneRefusals(ledger, workspaceId, before, limit)),
  };
}

const FILTERS: readonly (readonly [column: string, name: keyof RefusalFilter])[] = [
  ['limit_id', 'limitId'],
  ['key', 'keyId'],
  ['reason', 'reason'],
];

/** Columns with the name of their filter. */
const CONTEXT_FILTERS = ['session', 'agent', 'run'] as const;

interface RefusalConditions {
  readonly where: readonly string[];
  readonly parameters: Record<string, string | number>;
}

/** Returns null for a name that was never seen. */
function* buildRefusalConditions(
  { names }: SqlContext,
  workspaceId: string,
  filter: RefusalFilter,
): SqlSteps<RefusalConditions | null> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return null;
  const where = ['workspace = :workspace'];
  const parameters: Record<string, string | number> = { workspace };
  for (const [column, name] of FILTERS) {
    const value = filter[name];
    if (value === undefined) continue;
    const id = yield* names.find(value);
    if (id === undefined) return null;
    where.push(`${column} = :${column}`);
    parameters[column] = id;
  }
  return { where, parameters };
}

function* readPage(context: SqlContext, workspaceId: string, query: RefusalQuery): SqlSteps<RefusalsPage> {
  const { range, filter, cursor, limit } = query;
  const found = yield* buildRefusalConditions(context, workspaceId, filter);
  if (!found) return { rows: [], next: null };
  const before = cursor === null ? { startedAt: range.end, id: 0 } : parseCursor(cursor);
  const where = [...found.where, 'at >= :first', 'at <= :last', '(at < :before_time OR id < :before_id)'];
  const named = CONTEXT_FILTERS.filter((name) => filter[name] !== undefined);
  where.push(...named.map((name) => `${name} = :${name}`));
  const sql = `SELECT * FROM refusals WHERE ${where.join(' AND ')} ORDER BY at DESC, id DESC LIMIT :limit`;
  const rows = yield ask(sql, {
    ...found.parameters,
    first: range.start,
    last: Math.min(range.end - 1, before.startedAt),
    before_time: before.startedAt,
    before_id: before.id,
    ...Object.fromEntries(named.map((name) => [name, filter[name] ?? ''])),
    limit: limit + 1,
  });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > page.length && last ? { startedAt: number(last, 'at'), id: number(last, 'id') } : null;
  return { rows: yield* toRefusedCalls(context, workspaceId, page), next: next && formatCursor(next) };
}

const FIND = 'SELECT * FROM refusals WHERE call_id = ? AND is_sum = 0 AND workspace = ?';

function* findRefusal(context: SqlContext, workspaceId: string, callId: string): SqlSteps<RefusedCall | null> {
  const workspace = yield* context.names.find(workspaceId);
  if (workspace === undefined) return null;
  const [refused] = yield* toRefusedCalls(context, workspaceId, yield ask(FIND, [callId, workspace]));
  return refused ?? null;
}

const NAMED = ['key', 'provider', 'limit_id', 'unit', 'reason'];

function* toRefusedCalls(
  { names }: SqlContext,
  workspaceId: string,
  rows: readonly ResultRow[],
): SqlSteps<RefusedCall[]> {
  const nameOf = yield* names.texts(rows.flatMap((row) => NAMED.map((column) => row[column])));
  return rows.map((row) => toRefusedCall(workspaceId, row, (column) => nameOf(number(row, column)) ?? ''));
}

function toRefusedCall(workspaceId: string, row: ResultRow, name: (column: string) => string): RefusedCall {
  const context = {
    session: textOrNull(row, 'session'),
    agent: textOrNull(row, 'agent'),
    parentAgent: textOrNull(row, 'parent_agent'),
    run: textOrNull(row, 'run'),
    requestClass: textOrNull(row, 'request_class'),
  };
  return {
    at: number(row, 'at'),
    callId: text(row, 'call_id'),
    isSum: number(row, 'is_sum') === 1,
    calls: number(row, 'calls'),
    workspaceId,
    keyId: name('key'),
    provider: name('provider'),
    model: textOrNull(row, 'model'),
    limitId: name('limit_id'),
    value: textOrNull(row, 'value'),
    unit: storedWord(LIMIT_UNITS, name('unit')),
    reason: storedWord(REFUSAL_REASONS, name('reason')),
    needed: numberOrNull(row, 'needed'),
    left: numberOrNull(row, 'remaining'),
    tags: JSON.parse(text(row, 'tags')) as RefusedCall['tags'],
    sessionHash: textOrNull(row, 'session_hash'),
    context: Object.values(context).every((part) => part === null) ? NO_CONTEXT : context,
  };
}

/** Reads whole hours from their counts, and parts of hours at the edges from records. */
function* readRefusalCounts(
  context: SqlContext,
  workspaceId: string,
  { start, end }: Period,
  filter: RefusalFilter,
): SqlSteps<RefusalCount[]> {
  const found = yield* buildRefusalConditions(context, workspaceId, filter);
  if (!found) return [];
  const [first, last] = [ceil(start, HOUR_MS), floor(end, HOUR_MS)];
  const hasHours = first < last;
  const where = found.where.join(' AND ');
  const rows = yield ask(
    `SELECT limit_id, key, reason, sum(calls) AS calls FROM (
      SELECT limit_id, key, reason, calls FROM refusal_hours WHERE ${where} AND hour >= :first AND hour < :last
      UNION ALL SELECT limit_id, key, reason, calls FROM refusals WHERE ${where} AND at >= :start AND at < :until
      UNION ALL SELECT limit_id, key, reason, calls FROM refusals WHERE ${where} AND at >= :from AND at < :end
    ) AS refused GROUP BY limit_id, key, reason`,
    {
      ...found.parameters,
      ...(hasHours ? { first, last, start, until: first, from: last, end } : { ...NO_HOURS, start, until: end }),
    },
  );
  const nameOf = yield* context.names.texts(rows.flatMap((row) => [row['limit_id'], row['key'], row['reason']]));
  return sortCounts(
    rows.map((row) => ({
      limitId: nameOf(row['limit_id']) ?? '',
      keyId: nameOf(row['key']) ?? '',
      reason: storedWord(REFUSAL_REASONS, nameOf(row['reason']) ?? ''),
      calls: number(row, 'calls'),
    })),
  );
}

const NO_HOURS = { first: 0, last: 0, from: 0, end: 0 };

const NEWEST_BEYOND = 'SELECT at FROM refusals WHERE workspace = ? ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?';
const PRUNE = `DELETE FROM refusals WHERE id IN (
  SELECT id FROM refusals WHERE workspace = ? AND at < ? ORDER BY at, id LIMIT ?)`;

function* pruneRefusals({ names }: SqlContext, workspaceId: string, before: number, limit: number): SqlSteps<number> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return 0;
  const [beyond] = yield ask(NEWEST_BEYOND, [workspace, REFUSALS_PER_WORKSPACE_MAX]);
  const until = Math.max(before, beyond ? number(beyond, 'at') : 0);
  return yield* change(PRUNE, [workspace, until, limit]);
}
