import { type Dialect, perDialect } from './dialect.ts';
import type { SqlContext } from './entry-table.ts';
import { ask, type SqlSteps } from './steps.ts';
import type { ResultRow } from './result-row.ts';
import { toRecordedEntries } from './read-entry.ts';
import { ENTRY_COLUMNS } from './entry-rows.ts';
import type { RecordedEntry } from '../usage-queries.ts';

const FOUND_MAX = 20;

/** Visits the hours that have entries, newest first, with two index steps each. */
function findBy(dialect: Dialect, column: string, index: string): string {
  const condition = `e.workspace = :workspace AND e.started_at / 3600000 = hours.hour
    AND ${dialect.ending(`e.${column}`, 8)} = ${dialect.ending(':id', 8)} AND e.${column} = :id AND e.${column} IS NOT NULL`;
  return `WITH RECURSIVE hours(hour) AS (
      SELECT (SELECT started_at FROM entries WHERE workspace = :workspace ORDER BY started_at DESC LIMIT 1) / 3600000
      UNION ALL
      SELECT (SELECT started_at FROM entries WHERE workspace = :workspace AND started_at < hour * 3600000
        ORDER BY started_at DESC LIMIT 1) / 3600000
      FROM hours WHERE hour IS NOT NULL
    )
    SELECT ${ENTRY_COLUMNS} FROM hours ${dialect.joinEntries(condition, index)}
    LIMIT ${FOUND_MAX}`;
}

const FIND = perDialect((dialect) => [
  findBy(dialect, 'request_id', 'entries_request'),
  findBy(dialect, 'response_id', 'entries_response'),
]);

export function* readRecorded(
  context: SqlContext,
  workspaceId: string,
  callId: string,
): SqlSteps<RecordedEntry | null> {
  return (yield* context.entries.read(context, workspaceId, callId))?.recorded ?? null;
}

/** Finds a call by its id, or else the newest entries with a provider id of request or answer. */
export function* findEntries(context: SqlContext, workspaceId: string, id: string): SqlSteps<RecordedEntry[]> {
  const call = yield* context.entries.read(context, workspaceId, id);
  return call ? [call.recorded] : yield* context.entries.find(context, workspaceId, id);
}

export function* findByProviderId(context: SqlContext, workspaceId: string, id: string): SqlSteps<RecordedEntry[]> {
  const workspace = yield* context.names.find(workspaceId);
  if (workspace === undefined) return [];
  const found = new Map<unknown, ResultRow>();
  for (const sql of FIND(context.dialect))
    for (const row of yield ask(sql, { workspace, id })) found.set(row['call_id'], row);
  return yield* toRecordedEntries([...found.values()].slice(0, FOUND_MAX));
}
