import type { BookedEntry } from '../store.ts';
import type { Book } from './book.ts';
import { readEntry, toBooked } from './entry.ts';
import { ENTRY_COLUMNS } from './entry-row.ts';

const FOUND_MAX = 20;
/** Apart, for only one of the two at a time is read off the end of an index. */
const TIMES = `SELECT (SELECT min(began_at) FROM entries WHERE workspace = :workspace) AS first,
  (SELECT max(began_at) FROM entries WHERE workspace = :workspace) AS last`;

/** Hour after hour, the newest first: one step into the index each. */
function findBy(column: string, index: string): string {
  return `WITH RECURSIVE hours(hour) AS (SELECT :last UNION ALL SELECT hour - 1 FROM hours WHERE hour > :first)
    SELECT ${ENTRY_COLUMNS} FROM hours CROSS JOIN entries e INDEXED BY ${index}
    WHERE e.workspace = :workspace AND e.began_at / 3600000 = hours.hour
      AND substr(e.${column}, -8) = substr(:id, -8) AND e.${column} = :id AND e.${column} IS NOT NULL
    LIMIT ${FOUND_MAX}`;
}

const BY_REQUEST = findBy('request_id', 'entries_request');
const BY_RESPONSE = findBy('response_id', 'entries_response');
const HOUR_MS = 3_600_000;

export function find(book: Book, workspaceId: string, id: string): BookedEntry[] {
  const call = readEntry(book, workspaceId, id);
  if (call) return [call];
  const workspace = book.names.find(workspaceId);
  if (workspace === undefined) return [];
  const times = book.connection.statement(TIMES).get({ workspace });
  if (times?.['first'] === null || times?.['first'] === undefined) return [];
  const [first, last] = [hourOf(times['first']), hourOf(times['last'])];
  const found = [BY_REQUEST, BY_RESPONSE].flatMap((sql) =>
    book.connection.statement(sql).all({ workspace, first, last, id }),
  );
  const booked = new Map(found.map((row) => [row['call_id'], row]));
  return [...booked.values()].slice(0, FOUND_MAX).map((row) => toBooked(book, row));
}

function hourOf(at: unknown): number {
  return Math.floor(Number(at) / HOUR_MS);
}
