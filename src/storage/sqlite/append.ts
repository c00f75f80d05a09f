import type { Entry } from '../../core/call.ts';
import type { Appended, Batch, Totals } from '../store.ts';
import { entryTotals } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import type { Book } from './book.ts';
import { Cells } from './cells.ts';
import { COLUMNS, toRow } from './entry-row.ts';
import { moveMark } from './mark.ts';
import { rollUp } from './roll-up.ts';
import { listUnpriced } from './unpriced.ts';

const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (call_id) DO NOTHING`;

/** Entries, roll-ups and mark in one transaction; only rows that were really inserted reach the roll-ups. */
export async function append(book: Book, { journalId, mark, entries }: Batch): Promise<Appended> {
  return await book.write(() => {
    const cells = new Cells();
    let inserted = 0;
    for (const given of entries) {
      const entry = wellFormed(given);
      const totals = entryTotals(entry, entry.cost);
      const id = insert(book, entry, totals);
      if (id === null) continue;
      inserted += 1;
      if (totals.calls === 0) continue;
      if (totals.unpricedCalls === 1)
        listUnpriced(book.connection, book.names.id(entry.workspaceId), entry.beganAt, id);
      rollUp(entry, totals, cells, book.names, book.caps);
    }
    cells.write(book.connection);
    moveMark(book.connection, journalId, mark);
    return { inserted, overflowed: book.caps.finish() };
  });
}

/** The number of the new row; null when the call is there already. */
function insert({ connection, names }: Book, entry: Entry, totals: Totals): number | null {
  const row = toRow(entry, totals, names);
  const { changes, lastInsertRowid } = connection.statement(INSERT).run(...COLUMNS.map((column) => row[column]));
  return changes === 0 ? null : Number(lastInsertRowid);
}
