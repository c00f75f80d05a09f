import type { Entry } from '../../domain/usage/call.ts';
import { CLOCK_SKEW_MS, gatewayRefs, observedRefs } from '../../domain/observed/join-calls.ts';
import { CACHE_READ_CLASSES, inputTokens, outputTokens, sumClasses, totalTokens } from '../../domain/usage/usage.ts';
import { LIMITS } from '../../config.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import { floor } from '../range-segments.ts';
import { type Dialect, perDialect } from './dialect.ts';
import { SESSION, type SqlContext } from './entry-reader.ts';
import { ENTRY_COLUMNS, fromEntryRow } from './entry-rows.ts';
import { type ObservedRow, toObservedRows } from './observed-rows.ts';
import { number, type ResultRow } from './result-row.ts';
import { ask, askEach, insertRows, type RowInsert, type SqlSteps, type SqlValue } from './steps.ts';

/** Observations with one common id that are read. More can't be one call. */
const SAME_REF_MAX = 100;
/** Rounds in which further reports are looked for. Each adds reports with an id of those found before. */
const ROUNDS_MAX = 10;

const INSERT_REFS: RowInsert = {
  table: 'observed_refs',
  columns: ['workspace', 'ref', 'observed'],
  keyColumns: 3,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: [],
};
const MARK: RowInsert = {
  table: 'observed_due',
  columns: ['workspace', 'observed'],
  keyColumns: 2,
  onConflict: 'ON CONFLICT DO NOTHING',
  returning: [],
};
const HAS_CALLS = 'SELECT 1 AS found FROM observed_refs WHERE workspace = ? LIMIT 1';
const FIND = `SELECT workspace, observed FROM observed_refs WHERE workspace = ? AND ref = ? LIMIT ${SAME_REF_MAX}`;
const READ = 'SELECT * FROM observed_calls WHERE id = ?';

export function* insertRefs(rows: readonly Pick<ObservedRow, 'id' | 'workspace' | 'call'>[]): SqlSteps<void> {
  yield* insertRows(
    INSERT_REFS,
    rows.flatMap(({ id, workspace, call }) => observedRefs(call).map((ref) => [workspace, ref, id])),
  );
}

/** Marks observed calls that may be calls of a batch. Returns how many. */
export function* markObserved({ names }: SqlContext, entries: readonly Entry[]): SqlSteps<number> {
  const places: SqlValue[][] = [];
  for (const [workspaceId, own] of Map.groupBy(entries, (entry) => entry.workspaceId)) {
    const workspace = yield* names.id(workspaceId);
    const [known] = yield ask(HAS_CALLS, [workspace]);
    if (known) places.push(...own.flatMap((entry) => gatewayRefs(entry).map((ref) => [workspace, ref])));
  }
  const found = yield* askEach(FIND, places);
  yield* insertRows(
    MARK,
    found.map((row) => [number(row, 'workspace'), number(row, 'observed')]),
  );
  return found.length;
}

/** Observed calls of one workspace, and gateway calls that they may be. */
export interface JoinedSet {
  readonly observed: readonly ObservedRow[];
  readonly gateway: readonly Entry[];
}

/** Reads calls with all reports that have an id in common with them, directly or through others. */
export function* readRelated(context: SqlContext, workspace: number, ids: readonly number[]): SqlSteps<JoinedSet> {
  const observed = new Map<number, ObservedRow>();
  const gateway = new Map<string, Entry>();
  let next: readonly number[] = ids;
  for (let round = 0; round < ROUNDS_MAX && next.length > 0; round += 1) {
    const rows = yield* askEach(
      READ,
      next.map((id) => [id]),
    );
    const added = (yield* toObservedRows(context, rows)).filter((row) => row.workspace === workspace);
    for (const row of added) observed.set(row.id, row);
    const entries = yield* readGatewayCalls(context, workspace, added);
    const addedEntries = entries.filter(({ callId }) => !gateway.has(callId));
    for (const entry of addedEntries) gateway.set(entry.callId, entry);
    const refs = new Set([...added.flatMap(({ call }) => observedRefs(call)), ...addedEntries.flatMap(gatewayRefs)]);
    const found = yield* askEach(
      FIND,
      Array.from(refs, (ref) => [workspace, ref]),
    );
    next = [...new Set(found.map((row) => number(row, 'observed')))].filter((id) => !observed.has(id));
  }
  return { observed: [...observed.values()], gateway: [...gateway.values()] };
}

/** Reads gateway calls that have an id of these calls, or belong to the session of a call without ids. */
function* readGatewayCalls(
  context: SqlContext,
  workspace: number,
  rows: readonly ObservedRow[],
): SqlSteps<readonly Entry[]> {
  const { byCall, byRequest, byResponse } = QUERIES(context.dialect);
  const found: ResultRow[] = [];
  const callIds = rows.flatMap(({ call }) => (call.callId === null ? [] : [[workspace, call.callId]]));
  found.push(...(yield* askEach(byCall, callIds)));
  const ids = rows.flatMap((row) => row.call.providerIds.flatMap((id) => placesOfId(row, id)));
  for (const sql of [byRequest, byResponse]) found.push(...(yield* askEach(sql, ids)));
  const refs = new Set(rows.flatMap(({ call }) => observedRefs(call)));
  for (const row of yield* readSessionCalls(context, workspace, rows)) found.push(row);
  return found.map(fromEntryRow).filter((entry) => gatewayRefs(entry).some((ref) => refs.has(ref)));
}

/** The hours in which a call with this id may have begun. */
function placesOfId({ workspace, call }: ObservedRow, id: string): SqlValue[][] {
  const places: SqlValue[][] = [];
  const { start, end } = callTimes(call);
  for (let hour = floor(start, HOUR_MS); hour < end; hour += HOUR_MS)
    places.push([workspace, hour, hour + HOUR_MS, hour / HOUR_MS, Array.from(id).slice(-8).join(''), id]);
  return places;
}

/** Times at which the gateway may have begun a call. Its report may tell only the end. */
function callTimes({ startedAt, endedAt }: ObservedRow['call']): { start: number; end: number } {
  return { start: startedAt - LIMITS.callMsMax - CLOCK_SKEW_MS, end: endedAt + CLOCK_SKEW_MS };
}

/** Reads calls with the tokens of calls without ids, at their time and in their session. */
function* readSessionCalls(
  { dialect }: SqlContext,
  workspace: number,
  rows: readonly ObservedRow[],
): SqlSteps<readonly ResultRow[]> {
  const { bySession, byRenamed, withoutSession } = QUERIES(dialect);
  const found: ResultRow[] = [];
  for (const { call } of rows.filter((row) => isWithoutIds(row.call))) {
    const { session, usage, assistant } = call;
    const tokens = usage ? totalTokens(usage) : {};
    const place = {
      workspace,
      ...callTimes(call),
      input: inputTokens(tokens),
      cache_read: sumClasses(tokens, CACHE_READ_CLASSES),
      output: outputTokens(tokens),
    };
    if (!usage) continue;
    if (session === null && assistant !== null) found.push(...(yield ask(withoutSession, place)));
    if (session === null) continue;
    found.push(...(yield ask(bySession, { ...place, session })));
    found.push(...(yield ask(byRenamed, { ...place, session })));
  }
  return found;
}

function isWithoutIds({ providerIds, callId }: ObservedRow['call']): boolean {
  return providerIds.length === 0 && callId === null;
}

const QUERIES = perDialect((dialect) => {
  const { condition, indexed } = SESSION(dialect);
  const times = `e.started_at >= :start AND e.started_at < :end AND e.input_tokens = :input
    AND e.cache_read_tokens = :cache_read AND e.output_tokens = :output`;
  return {
    byCall: `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.workspace = ? AND e.call_id = ?`,
    byRequest: byProviderId(dialect, 'request_id', 'entries_request'),
    byResponse: byProviderId(dialect, 'response_id', 'entries_response'),
    bySession: `SELECT ${ENTRY_COLUMNS} FROM entries e ${indexed} WHERE e.workspace = :workspace AND ${condition} AND ${times}`,
    withoutSession: `SELECT ${ENTRY_COLUMNS} FROM entries e ${dialect.indexedBy('entries_time')}
      WHERE e.workspace = :workspace AND ${times} AND e.session_hash IS NULL`,
    byRenamed: `SELECT ${ENTRY_COLUMNS} FROM entries e ${dialect.indexedBy('entries_renamed_session')}
      WHERE e.workspace = :workspace AND substr(e.session_hash, 1, 16) = substr(:session, 1, 16) AND ${times}
      AND e.session_hash = :session AND e.session_name IS NOT NULL AND e.session_hash IS NOT NULL`,
  };
});

function byProviderId(dialect: Dialect, column: string, index: string): string {
  return `SELECT ${ENTRY_COLUMNS} FROM entries e ${dialect.indexedBy(index)}
    WHERE e.workspace = ? AND e.started_at >= ? AND e.started_at < ? AND e.started_at / 3600000 = ?
    AND ${dialect.ending(`e.${column}`, 8)} = ? AND e.${column} = ? AND e.${column} IS NOT NULL`;
}
