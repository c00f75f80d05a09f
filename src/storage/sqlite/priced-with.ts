import { believedPriceVersion } from '../booked.ts';
import type { BookedEntry, Range } from '../store.ts';
import type { Book } from './book.ts';
import { toBooked } from './entry.ts';
import { ENTRY_COLUMNS } from './entry-row.ts';
import { positionAfter } from './position.ts';

/** Candidates in the order of time: priced so at first, or corrected to it once; whether it still stands is seen after. */
const READ = `SELECT ${ENTRY_COLUMNS} FROM entries e
  WHERE e.workspace = :workspace AND e.began_at >= :start AND e.began_at < :end
    AND e.began_at >= :after_time AND (e.began_at > :after_time OR e.id > :after_id)
    AND (e.price_version = :number
      OR EXISTS (SELECT 1 FROM adjustments a WHERE a.entry = e.id AND a.price_version = :version))
  ORDER BY e.began_at, e.id`;

export function pricedWith(
  book: Book,
  workspaceId: string,
  version: string,
  range: Range,
  after: string | null,
  limit: number,
): BookedEntry[] {
  const workspace = book.names.find(workspaceId);
  if (workspace === undefined) return [];
  const position = positionAfter(book.connection, workspace, after);
  const rows = book.connection.statement(READ).iterate({
    workspace,
    ...range,
    after_time: position.beganAt,
    after_id: position.id,
    number: book.names.find(version) ?? -1,
    version,
  });
  const found: BookedEntry[] = [];
  for (const row of rows) {
    const booked = toBooked(book, row);
    if (believedPriceVersion(booked) === version) found.push(booked);
    if (found.length === limit) break;
  }
  return found;
}
