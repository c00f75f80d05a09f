import { formatCursor, parseCursor } from '../cursor.ts';
import type { BookedEntry, EntriesQuery } from '../store.ts';
import type { Book } from './book.ts';
import { toBooked } from './entry.ts';
import { ENTRY_COLUMNS } from './entry-row.ts';
import { number } from './row.ts';
import { conditions } from './question.ts';
import { tagValue } from './tag-value.ts';

export interface EntriesPage {
  readonly rows: BookedEntry[];
  readonly next: string | null;
}

/** Newest first; entries of one millisecond in the reverse order of their arrival. One row more tells of a next page. */
export function entriesPage(book: Book, workspaceId: string, query: EntriesQuery): EntriesPage {
  const found = conditionsOf(book, workspaceId, query);
  if (!found) return { rows: [], next: null };
  // Unpriced entries are few: their work list leads, in the same order as the index of entries.
  const list = query.filter.unpriced ? UNPRICED : ENTRIES;
  const rows = book.connection
    .statement(
      `SELECT ${ENTRY_COLUMNS} FROM ${list.from} WHERE ${[...list.where, ...found.where].join(' AND ')}
       ORDER BY ${list.order} LIMIT :limit`,
    )
    .all({ ...found.parameters, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = page.at(-1);
  const hasMore = rows.length > page.length && last !== undefined;
  return {
    rows: page.map((row) => toBooked(book, row)),
    next: hasMore ? formatCursor({ beganAt: number(last, 'began_at'), id: number(last, 'id') }) : null,
  };
}

const ENTRIES = listOf('entries e', 'e.workspace', 'e.began_at', 'e.id');
const UNPRICED = listOf('unpriced u CROSS JOIN entries e ON e.id = u.entry', 'u.workspace', 'u.began_at', 'u.entry');

function listOf(from: string, workspace: string, beganAt: string, id: string) {
  return {
    from,
    where: [
      `${workspace} = :workspace`,
      `${beganAt} >= :start`,
      `${beganAt} < :end`,
      `${beganAt} <= :before_time`,
      `(${beganAt} < :before_time OR ${id} < :before_id)`,
    ],
    order: `${beganAt} DESC, ${id} DESC`,
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
  const before = cursor === null ? { beganAt: range.end, id: 0 } : parseCursor(cursor);
  const where: string[] = [];
  const parameters: Record<string, string | number> = {
    workspace,
    ...range,
    before_time: before.beganAt,
    before_id: before.id,
  };
  for (const [column, value] of conditions(filter)) {
    const id = typeof value === 'number' ? value : names.find(value);
    if (id === undefined) return null;
    where.push(`e.${column} = :${column}`);
    parameters[column] = id;
  }
  if (filter.tag) {
    where.push(`${tagValue('e.tags', ':tag_key')} = :tag_value`);
    Object.assign(parameters, { tag_key: filter.tag.key, tag_value: filter.tag.value });
  }
  if (filter.uncertain !== undefined) where.push(`e.uncertain_calls = ${filter.uncertain ? 1 : 0}`);
  if (filter.unpriced === false) where.push(NOT_UNPRICED);
  return { where, parameters };
}

const NOT_UNPRICED = `NOT EXISTS (SELECT 1 FROM unpriced u
  WHERE u.workspace = e.workspace AND u.began_at = e.began_at AND u.entry = e.id)`;
