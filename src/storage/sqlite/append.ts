import type { Entry } from '../../core/call.ts';
import { floor, HOUR_MS } from '../segments.ts';
import type { Appended, Batch } from '../store.ts';
import { entryCounts } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import type { Book } from './book.ts';
import { Cells } from './cells.ts';
import { COLUMNS, toRow } from './entry-row.ts';
import type { EntryRow } from './entry-row.ts';
import { moveMark } from './mark.ts';
import { rollUp } from './roll-up.ts';
import { Sums } from './sums.ts';
import { listUnpriced } from './unpriced.ts';

const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (call_id) DO NOTHING`;

/** Entries, roll-ups and mark in one transaction; only rows that were really inserted reach the roll-ups. */
export async function append(book: Book, { journalId, mark, entries }: Batch): Promise<Appended> {
  return await book.write(() => {
    const alike = new Sums<Entry>();
    let inserted = 0;
    for (const entry of entries) if (insert(book, wellFormed(entry), alike)) inserted += 1;
    const cells = new Cells();
    for (const { about, counts } of alike.all) rollUp(about, counts, cells, book.names, book.caps);
    cells.write(book.connection);
    moveMark(book.connection, journalId, mark);
    return { inserted, overflowed: book.caps.finish() };
  });
}

/** False when the call is there already. Calls of a batch are mostly alike: each kind is rolled up once. */
function insert({ connection, names }: Book, entry: Entry, alike: Sums<Entry>): boolean {
  const counts = entryCounts(entry, entry.cost);
  const row = toRow(entry, counts, names);
  const { changes, lastInsertRowid } = connection.statement(INSERT).run(...Object.values(row));
  if (changes === 0) return false;
  if (counts.unpricedCalls === 1)
    listUnpriced(connection, names.id(entry.workspaceId), entry.beganAt, Number(lastInsertRowid));
  if (counts.calls === 1) alike.add(kindOf(row, entry), entry, counts);
  return true;
}

/** The same text for calls that stand in the same cells. Tags come last: they alone are not numbers. */
function kindOf({ workspace, source, key, provider, model, status, tags }: EntryRow, { beganAt }: Entry): string {
  return `${floor(beganAt, HOUR_MS)} ${workspace} ${source} ${key} ${provider} ${model} ${status} ${tags}`;
}
