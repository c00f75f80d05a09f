import { type Entry, isUncertain } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { countedOf, moveBetween } from '../past.ts';
import type { Appended, Batch } from '../store.ts';
import { entryCounts } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import type { Book } from './book.ts';
import { Counting } from './counters.ts';
import { COLUMNS, toRow } from './entry-row.ts';
import { KeyUses } from './key-use.ts';
import type { Kind } from './kinds.ts';
import { moveMark } from './mark.ts';
import { releasedUntil } from './pasts.ts';
import { rollUp } from './roll-up.ts';
import { SessionUses } from './session-use.ts';
import { measuresOf, Sums } from './sums.ts';
import { listUnpriced } from './unpriced.ts';

const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (call_id) DO NOTHING`;

/** Entries, roll-ups, counters of limits, use of keys and sessions, and mark in one transaction; only rows that were really inserted reach the roll-ups. */
export async function append(book: Book, { journalId, mark, entries }: Batch): Promise<Appended> {
  return await book.write(() => {
    const counted = new Sums<Kind>();
    const counting = new Counting();
    const sessions = new SessionUses();
    const keys = new KeyUses(book);
    const moves: CounterMove[] = [];
    let inserted = 0;
    for (const entry of entries) {
      if (!insert(book, wellFormed(entry), counted)) continue;
      inserted += 1;
      keys.add(wellFormed(entry), entry.provenance);
      if (entry.sessionHash !== null) sessions.add(wellFormed(entry));
      if (entry.touched.length > 0) count(book, entry, counting, moves);
    }
    keys.write();
    const overflowed = rollUp(book, counted);
    counting.write(book.connection);
    sessions.write(book);
    moveMark(book.connection, journalId, mark);
    return { inserted, overflowed, moves };
  });
}

/** False when the call is there already. */
function insert(book: Book, entry: Entry, counted: Sums<Kind>): boolean {
  const { connection, kinds } = book;
  const counts = entryCounts(entry);
  const row = toRow(entry, counts, book);
  const { changes, lastInsertRowid } = connection.statement(INSERT).run(...Object.values(row));
  if (changes === 0) return false;
  if (counts.unpricedCalls === 1) listUnpriced(connection, row.workspace, entry.beganAt, Number(lastInsertRowid));
  if (counts.calls === 1) counted.add(kinds.of(row, entry), measuresOf(counts));
  return true;
}

function count(book: Book, entry: Entry, counting: Counting, moves: CounterMove[]): void {
  if (entry.outcome === 'not_sent') return;
  for (const touch of entry.touched) {
    const whole = countedOf(touch.unit, entry, false);
    const isReleased = isUncertain(entry) && entry.endedAt < releasedUntil(book, touch.counter);
    const held = isReleased ? countedOf(touch.unit, entry, true) : whole;
    counting.add(touch, held.counted, held.uncertain);
    const missing = isReleased ? moveBetween(touch, whole, held) : null;
    if (missing) moves.push(missing);
  }
}
