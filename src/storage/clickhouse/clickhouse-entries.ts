import { DAY_MS } from '../../domain/time/units.ts';
import type { Adjustment } from '../entry-store.ts';
import type {
  EntryCorrection,
  EntrySource,
  EntryTable,
  NewEntry,
  NumberedEntry,
  SqlContext,
} from '../sql/entry-table.ts';
import { number, text } from '../sql/result-row.ts';
import { ask, type SqlSteps } from '../sql/steps.ts';
import { toCallRow, toCorrectionRow } from './entry-columns.ts';
import {
  countStoredUncertain,
  findStored,
  listStoredSessions,
  readStoredCalls,
  readFollowingStored,
  readStoredHolds,
  readStoredPage,
  readStoredParents,
  readStoredUncertain,
} from './entry-lists.ts';
import { hasMoreStored, readStoredBounds, sumNewestStored, sumStored, sumStoredRequests } from './entry-sums.ts';
import { readObservedCalls } from './observed-calls.ts';
import { fromAllEntries, fromEntries, type StoredRows } from './stored-rows.ts';

/** A call that is repeated has the same start; days around it are looked at for the same call with another one. */
const AROUND_MS = 31 * DAY_MS;
const KNOWN = `SELECT call_id FROM ${fromAllEntries(
  'correction = 0',
  'started_at >= {first:Int64} AND started_at <= {last:Int64}',
  'call_id IN {ids:Array(String)}',
)}`;

function* insertStored(
  stored: StoredRows,
  source: EntrySource,
  entries: readonly NewEntry[],
): SqlSteps<(number | null)[]> {
  const known = yield* findKnown(stored, source, entries);
  const isNew = entries.map(({ entry: { callId } }) => {
    const unknown = !known.has(callId);
    known.add(callId);
    return unknown;
  });
  const ids = (yield* stored.nextNumbers(isNew.filter(Boolean).length)).values();
  const numbers = isNew.map((wanted) => (wanted ? (ids.next().value ?? null) : null));
  yield* stored.insert(
    entries.flatMap((entry, index) => {
      const id = numbers[index] ?? null;
      return id === null ? [] : [toCallRow(entry, id, source)];
    }),
  );
  return numbers;
}

/** Returns the calls that were part of the ledger before this batch. */
function* findKnown(
  stored: StoredRows,
  { journalId, markBefore }: EntrySource,
  entries: readonly NewEntry[],
): SqlSteps<Set<string>> {
  if (entries.length === 0) return new Set();
  const starts = entries.map(({ entry }) => entry.startedAt);
  const rows = yield* stored.ask(
    KNOWN,
    {
      ids: entries.map(({ entry }) => entry.callId),
      first: Math.min(...starts) - AROUND_MS,
      last: Math.max(...starts) + AROUND_MS,
    },
    { journal: journalId, mark: markBefore ?? 0 },
  );
  return new Set(rows.map((row) => text(row, 'call_id')));
}

function* readStoredCall(stored: StoredRows, workspaceId: string, callId: string): SqlSteps<NumberedEntry | null> {
  const given = { workspace: workspaceId, call: callId };
  const [found] = yield* readStoredCalls(stored, given, ['call_id = {call:String}'], 'LIMIT 1');
  return found ?? null;
}

/** A service that starts asks for it, also where ClickHouse is away. */
const NEWEST_HOUR = 'SELECT coalesce(max(start), 0) AS hour FROM status_hour WHERE workspace = ?';

function* readNewestHour({ names }: SqlContext, workspaceId: string): SqlSteps<number> {
  const workspace = yield* names.find(workspaceId);
  if (workspace === undefined) return 0;
  const [row = {}] = yield ask(NEWEST_HOUR, [workspace]);
  return number(row, 'hour');
}

/** Calls that one question names. */
const READ_AT_ONCE = 500;

function* readStoredCorrected(
  stored: StoredRows,
  adjustments: readonly Adjustment[],
): SqlSteps<Map<string, NumberedEntry>> {
  const found = new Map<string, NumberedEntry>();
  for (const [workspace, own] of Map.groupBy(adjustments, ({ workspaceId }) => workspaceId)) {
    const ids = [...new Set(own.map(({ callId }) => callId))];
    for (let from = 0; from < ids.length; from += READ_AT_ONCE) {
      const given = { workspace, ids: ids.slice(from, from + READ_AT_ONCE) };
      for (const one of yield* readStoredCalls(stored, given, ['call_id IN {ids:Array(String)}'], ''))
        found.set(one.recorded.entry.callId, one);
    }
  }
  return found;
}

function* correctStored(stored: StoredRows, correction: EntryCorrection): SqlSteps<void> {
  yield* stored.addCorrection((position) => toCorrectionRow(correction, correction.corrected.summedModel, position));
}

const OLDEST = `SELECT started_at, id FROM ${fromEntries('correction = 0', 'started_at < {hour:Int64}')}
  ORDER BY started_at, id LIMIT {limit:Int64}`;
const LAST_OLDEST = `SELECT count() AS entries, max((started_at, id)) AS last FROM (${OLDEST})`;
/** Corrections have the number of their call. */
const DELETE = `DELETE FROM entries
  WHERE workspace = {workspace:String} AND started_at <= {started_at:Int64}
    AND (started_at, id) <= ({started_at:Int64}, {id:Int64})`;

function* pruneStored(stored: StoredRows, workspace: string, hour: number, limit: number): SqlSteps<number> {
  const [row = {}] = yield* stored.ask(LAST_OLDEST, { workspace, hour, limit });
  const entries = number(row, 'entries');
  if (entries === 0) return 0;
  const [startedAt = 0, id = 0] = row['last'] as readonly number[];
  yield* stored.command(DELETE, { workspace, started_at: startedAt, id });
  return entries;
}

/** Entries and corrections in ClickHouse. */
export function clickhouseEntries(stored: StoredRows): EntryTable {
  return {
    needsMark: true,
    insert: (_, source, entries) => insertStored(stored, source, entries),
    read: (_, workspaceId, callId) => readStoredCall(stored, workspaceId, callId),
    readCorrected: (_, adjustments) => readStoredCorrected(stored, adjustments),
    find: (_, workspaceId, id) => findStored(stored, workspaceId, id),
    correct: (_, correction) => correctStored(stored, correction),
    prune: (_, workspaceId, hour, limit) => pruneStored(stored, workspaceId, hour, limit),
    newestStart: readNewestHour,
    newest: () => stored.newest(),
    page: (_, workspaceId, query) => readStoredPage(stored, workspaceId, query),
    following: (_, ...asked) => readFollowingStored(stored, ...asked),
    sum: (_, ...asked) => sumStored(stored, ...asked),
    sumNewest: (_, ...asked) => sumNewestStored(stored, ...asked),
    sumRequestedModels: (_, workspaceId, range) => sumStoredRequests(stored, workspaceId, range),
    hasMoreThan: (_, ...asked) => hasMoreStored(stored, ...asked),
    keyBounds: (_, ...asked) => readStoredBounds(stored, ...asked),
    observed: (context, workspace, rows) => readObservedCalls(stored, context, workspace, rows),
    callHolds: (_, workspaceId, query) => readStoredHolds(stored, workspaceId, query),
    sessionsBeginning: (_, ...asked) => listStoredSessions(stored, ...asked),
    parents: (_, query, agent) => readStoredParents(stored, query, agent),
    countUncertain: (_, ...asked) => countStoredUncertain(stored, ...asked),
    uncertain: (_, workspaceId, ended) => readStoredUncertain(stored, workspaceId, ended),
  };
}
