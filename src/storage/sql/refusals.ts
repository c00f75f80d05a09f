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
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { number, numberOrNull, type ResultRow, text, textOrNull } from './result-row.ts';

const COLUMNS = [
  'call_id',
  'workspace',
  'at',
  'is_sum',
  'calls',
  'key',
  'provider',
  'limit_id',
  'reason',
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
const PLACES = COLUMNS.map(() => '?').join(', ');
const INSERT_CALL = `INSERT INTO refusals (${COLUMNS.join(', ')}) VALUES (${PLACES})
  ON CONFLICT (call_id) WHERE is_sum = 0 DO NOTHING`;
// Ids of calls ascend: a part of a sum that was added before has an id that is not above the last.
const ADD_TO_SUM = `INSERT INTO refusals (${COLUMNS.join(', ')}) VALUES (${PLACES})
  ON CONFLICT (workspace, at, key, limit_id, reason) WHERE is_sum = 1
  DO UPDATE SET calls = calls + excluded.calls, call_id = excluded.call_id WHERE excluded.call_id > call_id`;
const COUNT = `INSERT INTO refusal_hours (workspace, hour, limit_id, key, reason, calls) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (workspace, hour, limit_id, key, reason) DO UPDATE SET calls = calls + excluded.calls`;

/** Adds refused calls inside the caller's transaction. Calls and parts of sums that are known change nothing. */
export function appendRefusals({ connection, names }: LedgerDatabase, refused: readonly RefusedCall[]): void {
  for (const call of refused) {
    const { workspaceId, keyId, limitId, reason, context } = call;
    const [workspace, key, limit, why] = [workspaceId, keyId, limitId, reason].map((name) => names.id(name)) as [
      number,
      number,
      number,
      number,
    ];
    const { changes } = connection
      .statement(call.isSum ? ADD_TO_SUM : INSERT_CALL)
      .run(
        call.callId,
        workspace,
        call.at,
        call.isSum ? 1 : 0,
        call.calls,
        key,
        names.id(call.provider),
        limit,
        why,
        names.id(call.unit),
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
      );
    if (changes > 0) connection.statement(COUNT).run(workspace, floor(call.at, HOUR_MS), limit, key, why, call.calls);
  }
}

function wellFormedOrNull(name: string | null): string | null {
  return name === null ? null : name.toWellFormed();
}

export function sqliteRefusals(ledger: LedgerDatabase): RefusalStore {
  return {
    page: async (workspaceId, query) => readPage(ledger, workspaceId, query),
    find: async (workspaceId, callId) => findRefusal(ledger, workspaceId, callId),
    counts: async (workspaceId, range, filter) => readRefusalCounts(ledger, workspaceId, range, filter),
    prune: (workspaceId, before, limit) => pruneRefusals(ledger, workspaceId, before, limit),
  };
}

const FILTERS: readonly (readonly [column: string, name: keyof RefusalFilter])[] = [
  ['limit_id', 'limitId'],
  ['key', 'keyId'],
  ['reason', 'reason'],
];

interface RefusalConditions {
  readonly where: readonly string[];
  readonly parameters: Record<string, string | number>;
}

/** Returns null for a name that was never seen. */
function buildRefusalConditions(
  { names }: LedgerDatabase,
  workspaceId: string,
  filter: RefusalFilter,
): RefusalConditions | null {
  const workspace = names.find(workspaceId);
  if (workspace === undefined) return null;
  const where = ['workspace = :workspace'];
  const parameters: Record<string, string | number> = { workspace };
  for (const [column, name] of FILTERS) {
    const value = filter[name];
    if (value === undefined) continue;
    const id = names.find(value);
    if (id === undefined) return null;
    where.push(`${column} = :${column}`);
    parameters[column] = id;
  }
  return { where, parameters };
}

function readPage(ledger: LedgerDatabase, workspaceId: string, query: RefusalQuery): RefusalsPage {
  const { range, filter, cursor, limit } = query;
  const found = buildRefusalConditions(ledger, workspaceId, filter);
  if (!found) return { rows: [], next: null };
  const before = cursor === null ? { startedAt: range.end, id: 0 } : parseCursor(cursor);
  const where = [...found.where, 'at >= :first', 'at <= :last', '(at < :before_time OR id < :before_id)'];
  if (filter.session !== undefined) where.push('session = :session');
  const rows = ledger.connection
    .statement(`SELECT * FROM refusals WHERE ${where.join(' AND ')} ORDER BY at DESC, id DESC LIMIT :limit`)
    .all({
      ...found.parameters,
      first: range.start,
      last: Math.min(range.end - 1, before.startedAt),
      before_time: before.startedAt,
      before_id: before.id,
      ...(filter.session !== undefined && { session: filter.session }),
      limit: limit + 1,
    });
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  const next = rows.length > page.length && last ? { startedAt: number(last, 'at'), id: number(last, 'id') } : null;
  return { rows: page.map((row) => toRefusedCall(ledger, workspaceId, row)), next: next && formatCursor(next) };
}

function findRefusal(ledger: LedgerDatabase, workspaceId: string, callId: string): RefusedCall | null {
  const workspace = ledger.names.find(workspaceId);
  if (workspace === undefined) return null;
  const statement = ledger.connection.statement(
    'SELECT * FROM refusals WHERE call_id = ? AND is_sum = 0 AND workspace = ?',
  );
  const row = statement.get(callId, workspace);
  return row ? toRefusedCall(ledger, workspaceId, row) : null;
}

function toRefusedCall({ names }: LedgerDatabase, workspaceId: string, row: ResultRow): RefusedCall {
  const name = (column: string): string => names.text(number(row, column)) ?? '';
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
function readRefusalCounts(
  ledger: LedgerDatabase,
  workspaceId: string,
  { start, end }: Period,
  filter: RefusalFilter,
): RefusalCount[] {
  const found = buildRefusalConditions(ledger, workspaceId, filter);
  if (!found) return [];
  const [first, last] = [ceil(start, HOUR_MS), floor(end, HOUR_MS)];
  const hasHours = first < last;
  const where = found.where.join(' AND ');
  const rows = ledger.connection
    .statement(
      `SELECT limit_id, key, reason, sum(calls) AS calls FROM (
        SELECT limit_id, key, reason, calls FROM refusal_hours WHERE ${where} AND hour >= :first AND hour < :last
        UNION ALL SELECT limit_id, key, reason, calls FROM refusals WHERE ${where} AND at >= :start AND at < :until
        UNION ALL SELECT limit_id, key, reason, calls FROM refusals WHERE ${where} AND at >= :from AND at < :end
      ) GROUP BY limit_id, key, reason`,
    )
    .all({
      ...found.parameters,
      ...(hasHours ? { first, last, start, until: first, from: last, end } : { ...NO_HOURS, start, until: end }),
    });
  return sortCounts(
    rows.map((row) => ({
      limitId: ledger.names.text(row['limit_id']) ?? '',
      keyId: ledger.names.text(row['key']) ?? '',
      reason: storedWord(REFUSAL_REASONS, ledger.names.text(row['reason']) ?? ''),
      calls: number(row, 'calls'),
    })),
  );
}

const NO_HOURS = { first: 0, last: 0, from: 0, end: 0 };

const NEWEST_BEYOND = 'SELECT at FROM refusals WHERE workspace = ? ORDER BY at DESC, id DESC LIMIT 1 OFFSET ?';
const PRUNE = `DELETE FROM refusals WHERE id IN (
  SELECT id FROM refusals WHERE workspace = ? AND at < ? ORDER BY at, id LIMIT ?)`;

async function pruneRefusals(
  ledger: LedgerDatabase,
  workspaceId: string,
  before: number,
  limit: number,
): Promise<number> {
  const workspace = ledger.names.find(workspaceId);
  if (workspace === undefined) return 0;
  return await ledger.write(() => {
    const { connection } = ledger;
    const beyond = connection.statement(NEWEST_BEYOND).get(workspace, REFUSALS_PER_WORKSPACE_MAX);
    const until = Math.max(before, beyond ? number(beyond, 'at') : 0);
    return Number(connection.statement(PRUNE).run(workspace, until, limit).changes);
  });
}
