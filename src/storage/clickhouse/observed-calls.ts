import type { ObservedCall } from '../../domain/observed/observed-call.ts';
import { NO_SESSION, usagePlace } from '../../domain/observed/join-calls.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { CACHE_READ_CLASSES, inputTokens, outputTokens, sumClasses, totalTokens } from '../../domain/usage/usage.ts';
import type { SqlContext } from '../sql/entry-table.ts';
import { callTimes, isWithoutIds } from '../sql/observed-entries.ts';
import type { SqlSteps } from '../sql/steps.ts';
import { readStoredCalls } from './entry-lists.ts';
import type { StoredRows } from './stored-rows.ts';

/** Observed calls that one question names. */
const CALLS_AT_ONCE = 200;
const HAS_ID = `(call_id IN {calls:Array(String)} OR (started_at >= {start:Int64} AND started_at < {end:Int64}
  AND (request_id IN {ids:Array(String)} OR response_id IN {ids:Array(String)})))`;
const HAS_TOKENS = `started_at >= {start:Int64} AND started_at < {end:Int64} AND input_tokens = {input:Int64}
  AND cache_read_tokens = {cache_read:Int64} AND output_tokens = {output:Int64}`;
const IN_SESSION = '(session = {session:String} OR session_hash = {session:String})';

/** Reads entries that have an id of observed calls, or the tokens of those without ids at their time. */
export function* readObservedCalls(
  stored: StoredRows,
  { names }: SqlContext,
  workspace: number,
  calls: readonly ObservedCall[],
): SqlSteps<Entry[]> {
  const workspaceId = (yield* names.texts([workspace]))(workspace) ?? '';
  const found: Entry[] = [];
  for (let from = 0; from < calls.length; from += CALLS_AT_ONCE)
    found.push(...(yield* readByIds(stored, workspaceId, calls.slice(from, from + CALLS_AT_ONCE))));
  for (const call of calls.filter(isWithoutIds)) found.push(...(yield* readByTokens(stored, workspaceId, call)));
  return found;
}

function* readByIds(stored: StoredRows, workspace: string, observed: readonly ObservedCall[]): SqlSteps<Entry[]> {
  const calls = observed.flatMap(({ callId }) => (callId === null ? [] : [callId]));
  const ids = observed.flatMap(({ providerIds }) => providerIds);
  if (calls.length + ids.length === 0) return [];
  const times = observed.map(callTimes);
  const start = Math.min(...times.map((one) => one.start));
  const end = Math.max(...times.map((one) => one.end));
  const found = yield* readStoredCalls(stored, { workspace, calls, ids, start, end }, [HAS_ID], '');
  return found.map(({ recorded }) => recorded.entry);
}

function* readByTokens(stored: StoredRows, workspace: string, call: ObservedCall): SqlSteps<Entry[]> {
  const { usage } = call;
  const session = usagePlace(call);
  if (!usage || session === null) return [];
  const tokens = totalTokens(usage);
  const given = {
    workspace,
    ...callTimes(call),
    input: inputTokens(tokens),
    cache_read: sumClasses(tokens, CACHE_READ_CLASSES),
    output: outputTokens(tokens),
  };
  const ofSession = session === NO_SESSION ? 'session_hash IS NULL' : IN_SESSION;
  const conditions = [HAS_TOKENS, ofSession];
  const found = yield* readStoredCalls(stored, session === NO_SESSION ? given : { ...given, session }, conditions, '');
  return found.map(({ recorded }) => recorded.entry);
}
