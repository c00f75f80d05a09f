import { type Entry, isUncertain } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { countInUnit, moveBetween } from '../past.ts';
import type { AppendResult, EntryBatch } from '../store.ts';
import { entryCounts } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import type { LedgerDatabase } from './book.ts';
import { CounterBatch } from './counters.ts';
import { COLUMNS, toEntryRow } from './entry-row.ts';
import { KeyUseBatch } from './key-use.ts';
import type { RollupKind } from './kinds.ts';
import { moveMark } from './mark.ts';
import { releasedUntil } from './pasts.ts';
import { rollUp } from './roll-up.ts';
import { SessionUseBatch } from './session-use.ts';
import { toMeasures, ExactSums } from './sums.ts';
import { listUnpriced } from './unpriced.ts';

const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (call_id) DO NOTHING`;

/** Entries, roll-ups, counters of limits, use of keys and sessions, and mark in one transaction; only rows that were really inserted reach the roll-ups. */
export async function appendEntries(
  book: LedgerDatabase,
  { journalId, mark, entries }: EntryBatch,
): Promise<AppendResult> {
  return await book.write(() => {
    const counted = new ExactSums<RollupKind>();
    const counting = new CounterBatch();
    const sessions = new SessionUseBatch();
    const keys = new KeyUseBatch(book);
    const moves: CounterMove[] = [];
    let inserted = 0;
    for (const entry of entries) {
      if (!insertEntry(book, wellFormed(entry), counted)) continue;
      inserted += 1;
      keys.add(wellFormed(entry), entry.provenance);
      if (entry.sessionHash !== null) sessions.add(wellFormed(entry));
      if (entry.touched.length > 0) countCounters(book, entry, counting, moves);
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
function insertEntry(book: LedgerDatabase, entry: Entry, counted: ExactSums<RollupKind>): boolean {
  const { connection, kinds } = book;
  const counts = entryCounts(entry);
  const row = toEntryRow(entry, counts, book);
  const { changes, lastInsertRowid } = connection.statement(INSERT).run(...Object.values(row));
  if (changes === 0) return false;
  if (counts.unpricedCalls === 1) listUnpriced(connection, row.workspace, entry.startedAt, Number(lastInsertRowid));
  if (counts.calls === 1) counted.add(kinds.of(row, entry), toMeasures(counts));
  return true;
}

function countCounters(book: LedgerDatabase, entry: Entry, counting: CounterBatch, moves: CounterMove[]): void {
  if (entry.outcome === 'not_sent') return;
  for (const touch of entry.touched) {
    const whole = countInUnit(touch.unit, entry, false);
    const isReleased = isUncertain(entry) && entry.endedAt < releasedUntil(book, touch.counter);
    const held = isReleased ? countInUnit(touch.unit, entry, true) : whole;
    counting.add(touch, held.counted, held.uncertain);
    const missing = isReleased ? moveBetween(touch, whole, held) : null;
    if (missing) moves.push(missing);
  }
}
