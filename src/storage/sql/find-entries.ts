import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { readEntry, toRecordedEntry } from './read-entry.ts';
import { ENTRY_COLUMNS } from './entry-rows.ts';
import type { RecordedEntry } from '../usage-queries.ts';

const FOUND_MAX = 20;

/** Visits the hours that have entries, newest first, with two index steps each. */
function findBy(column: string, index: string): string {
  return `WITH RECURSIVE hours(hour) AS (
      SELECT (SELECT started_at FROM entries WHERE workspace = :workspace ORDER BY started_at DESC LIMIT 1) / 3600000
      UNION ALL
      SELECT (SELECT started_at FROM entries WHERE workspace = :workspace AND started_at < hour * 3600000
        ORDER BY started_at DESC LIMIT 1) / 3600000
      FROM hours WHERE hour IS NOT NULL
    )
    SELECT ${ENTRY_COLUMNS} FROM hours CROSS JOIN entries e INDEXED BY ${index}
    WHERE e.workspace = :workspace AND e.started_at / 3600000 = hours.hour
      AND substr(e.${column}, -8) = substr(:id, -8) AND e.${column} = :id AND e.${column} IS NOT NULL
    LIMIT ${FOUND_MAX}`;
}

const BY_REQUEST = findBy('request_id', 'entries_request');
const BY_RESPONSE = findBy('response_id', 'entries_response');

export function findEntries(ledger: LedgerDatabase, workspaceId: string, id: string): RecordedEntry[] {
  const call = readEntry(ledger, workspaceId, id);
  if (call) return [call];
  const workspace = ledger.names.find(workspaceId);
  if (workspace === undefined) return [];
  const found = [BY_REQUEST, BY_RESPONSE].flatMap((sql) => ledger.connection.statement(sql).all({ workspace, id }));
  const recorded = new Map(found.map((row) => [row['call_id'], row]));
  return [...recorded.values()].slice(0, FOUND_MAX).map((row) => toRecordedEntry(ledger, row));
}
