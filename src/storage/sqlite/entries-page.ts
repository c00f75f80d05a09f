import { formatCursor, parseCursor } from '../cursor.ts';
import type { BookedEntry, EntriesQuery } from '../store.ts';
import type { Book } from './book.ts';
import { toBooked } from './entry.ts';
import { ENTRY_COLUMNS, number } from './entry-row.ts';
import { conditions } from './question.ts';

export interface EntriesPage {
  readonly rows: BookedEntry[];
  readonly next: string | null;
}

/** Newest first; entries of one millisecond in the reverse order of their arrival. One row more tells of a next page. */
export function entriesPage(book: Book, workspaceId: string, query: EntriesQuery): EntriesPage {
  const found = conditionsOf(book, workspaceId, query);
  if (!found) return { rows: [], next: null };
  const sql = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${found.where.join(' AND ')}
    ORDER BY e.began_at DESC, e.id DESC LIMIT :limit`;
  const rows = book.connection.statement(sql).all({ ...found.parameters, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const next = rows.length > page.length && last;
  return {
    rows: page.map((row) => toBooked(book, row)),
    next: next ? formatCursor({ beganAt: number(next, 'began_at'), id: number(next, 'id') }) : null,
  };
}

interface Found {
  readonly where: readonly string[];
  readonly parameters: Record<string, string | number>;
}

/** Null when a name that is asked for was never seen. */
function conditionsOf({ names }: Book, workspaceId: string, { range, filter, cursor }: EntriesQuery): Found | null {
  const workspace = names.find(workspaceId);
  if (workspace === undefined) return null;
  const where = ['e.workspace = :workspace', 'e.began_at >= :start', 'e.began_at < :end'];
  const parameters: Record<string, string | number> = { workspace, ...range };
  for (const [column, value] of conditions(filter)) {
    const number = typeof value === 'number' ? value : names.find(value);
    if (number === undefined) return null;
    where.push(`e.${column} = :${column}`);
    parameters[column] = number;
  }
  if (filter.tag) {
    where.push('tag_value(e.tags, :tag_key) = :tag_value');
    Object.assign(parameters, { tag_key: filter.tag.key, tag_value: filter.tag.value });
  }
  if (filter.uncertain !== undefined) where.push(`e.uncertain_calls = ${filter.uncertain ? 1 : 0}`);
  if (filter.unpriced !== undefined)
    where.push(`${filter.unpriced ? '' : 'NOT '}EXISTS (SELECT 1 FROM unpriced u
      WHERE u.workspace = e.workspace AND u.began_at = e.began_at AND u.entry = e.id)`);
  if (cursor !== null) {
    const { beganAt, id } = parseCursor(cursor);
    where.push('e.began_at <= :before_time AND (e.began_at < :before_time OR e.id < :before_id)');
    Object.assign(parameters, { before_time: beganAt, before_id: id });
  }
  return { where, parameters };
}
