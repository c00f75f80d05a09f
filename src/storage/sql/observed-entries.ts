import { LIMITS } from '../../config.ts';
import { CLOCK_SKEW_MS, NO_SESSION, usagePlace } from '../../domain/observed/join-calls.ts';
import type { ObservedCall } from '../../domain/observed/observed-call.ts';
import { HOUR_MS } from '../../domain/time/units.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { CACHE_READ_CLASSES, inputTokens, outputTokens, sumClasses, totalTokens } from '../../domain/usage/usage.ts';
import { floor } from '../range-segments.ts';
import { type Dialect, perDialect } from './dialect.ts';
import { SESSION } from './entry-reader.ts';
import type { SqlContext } from './entry-table.ts';
import { ENTRY_COLUMNS, fromEntryRow } from './entry-rows.ts';
import type { ResultRow } from './result-row.ts';
import { ask, askEach, type SqlSteps, type SqlValue } from './steps.ts';

/** Reads entries that have an id of observed calls, or may be calls without ids. */
export function* readObservedEntries(
  context: SqlContext,
  workspace: number,
  calls: readonly ObservedCall[],
): SqlSteps<Entry[]> {
  const { byCall, byRequest, byResponse } = QUERIES(context.dialect);
  const found: ResultRow[] = [];
  const callIds = calls.flatMap(({ callId }) => (callId === null ? [] : [[workspace, callId]]));
  found.push(...(yield* askEach(byCall, callIds)));
  const ids = calls.flatMap((call) => call.providerIds.flatMap((id) => placesOfId(workspace, call, id)));
  for (const sql of [byRequest, byResponse]) found.push(...(yield* askEach(sql, ids)));
  for (const row of yield* readSessionCalls(context, workspace, calls)) found.push(row);
  return found.map(fromEntryRow);
}

/** The hours in which a call with this id may have begun. */
function placesOfId(workspace: number, call: ObservedCall, id: string): SqlValue[][] {
  const places: SqlValue[][] = [];
  const { start, end } = callTimes(call);
  for (let hour = floor(start, HOUR_MS); hour < end; hour += HOUR_MS)
    places.push([workspace, hour, hour + HOUR_MS, hour / HOUR_MS, Array.from(id).slice(-8).join(''), id]);
  return places;
}

/** Times at which the gateway may have begun a call. Its report may tell only the end. */
export function callTimes({ startedAt, endedAt }: ObservedCall): { start: number; end: number } {
  return { start: startedAt - LIMITS.callMsMax - CLOCK_SKEW_MS, end: endedAt + CLOCK_SKEW_MS };
}

/** Reads calls with the tokens of calls without ids, at their time and in their session. */
function* readSessionCalls(
  { dialect }: SqlContext,
  workspace: number,
  calls: readonly ObservedCall[],
): SqlSteps<readonly ResultRow[]> {
  const { bySession, byRenamed, withoutSession } = QUERIES(dialect);
  const found: ResultRow[] = [];
  for (const call of calls.filter(isWithoutIds)) {
    const { usage } = call;
    const session = usagePlace(call);
    const tokens = usage ? totalTokens(usage) : {};
    const place = {
      workspace,
      ...callTimes(call),
      input: inputTokens(tokens),
      cache_read: sumClasses(tokens, CACHE_READ_CLASSES),
      output: outputTokens(tokens),
    };
    if (!usage || session === null) continue;
    if (session === NO_SESSION) {
      found.push(...(yield ask(withoutSession, place)));
      continue;
    }
    found.push(...(yield ask(bySession, { ...place, session })));
    found.push(...(yield ask(byRenamed, { ...place, session })));
  }
  return found;
}

export function isWithoutIds({ providerIds, callId }: ObservedCall): boolean {
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
