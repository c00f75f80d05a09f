import type { Entry } from '../../core/call.ts';
import type { Appended, Batch } from '../store.ts';
import { entryCounts } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import type { Book } from './book.ts';
import { COLUMNS, toRow } from './entry-row.ts';
import type { Kind } from './kinds.ts';
import { moveMark } from './mark.ts';
import { rollUp } from './roll-up.ts';
import { measuresOf, Sums } from './sums.ts';
import { listUnpriced } from './unpriced.ts';

const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (call_id) DO NOTHING`;

/** Entries, roll-ups and mark in one transaction; only rows that were really inserted reach the roll-ups. */
export async function append(book: Book, { journalId, mark, entries }: Batch): Promise<Appended> {
  return await book.write(() => {
    const counted = new Sums<Kind>();
    let inserted = 0;
    for (const entry of entries) if (insert(book, wellFormed(entry), counted)) inserted += 1;
    const overflowed = rollUp(book, counted);
    moveMark(book.connection, journalId, mark);
    return { inserted, overflowed };
  });
}

/** False when the call is there already. */
function insert(book: Book, entry: Entry, counted: Sums<Kind>): boolean {
  const { connection, kinds } = book;
  const counts = entryCounts(entry, entry.cost);
  const row = toRow(entry, counts, book);
  const { changes, lastInsertRowid } = connection.statement(INSERT).run(...Object.values(row));
  if (changes === 0) return false;
  if (counts.unpricedCalls === 1) listUnpriced(connection, row.workspace, entry.beganAt, Number(lastInsertRowid));
  if (counts.calls === 1) counted.add(kinds.of(row, entry), measuresOf(counts));
  return true;
}
