import { type Entry, isUncertain } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import { entryCounts } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import { type LedgerDatabase, rollUp } from '../sqlite/ledger-database.ts';
import { CounterBatch, releasedUntil } from './counters.ts';
import { COLUMNS, toEntryRow } from './entry-rows.ts';
import { KeyUseBatch } from './key-use.ts';
import { appendRefusals } from './refusals.ts';
import type { RollupKind } from './rollup-kinds.ts';
import { SessionUseBatch } from './session-use.ts';
import { ExactSums, toMeasures } from './exact-sums.ts';
import { listUnpriced } from './unpriced.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import type { AppendResult, EntryBatch } from '../entry-store.ts';

const READ = 'SELECT mark FROM marks WHERE journal_id = ?';
const MOVE = `INSERT INTO marks (journal_id, mark) VALUES (?, ?)
  ON CONFLICT (journal_id) DO UPDATE SET mark = max(mark, excluded.mark)`;

export function readMark(connection: SqliteConnection, journalId: string): number {
  return Number(connection.statement(READ).get(journalId)?.['mark'] ?? 0);
}

/** Moves the mark forward, never back. */
function moveMark(connection: SqliteConnection, journalId: string, mark: number): void {
  connection.statement(MOVE).run(journalId, mark);
}

const INSERT = `INSERT INTO entries (${COLUMNS.join(', ')}) VALUES (${COLUMNS.map(() => '?').join(', ')})
  ON CONFLICT (call_id) DO NOTHING`;

/**
 * Appends entries with their roll-ups, counters, use of keys and sessions, and mark in one transaction. Only new
 * entries change the roll-ups.
 */
export async function appendEntries(
  ledger: LedgerDatabase,
  { journalId, mark, entries, refused }: EntryBatch,
): Promise<AppendResult> {
  return await ledger.write(() => {
    const counted = new ExactSums<RollupKind>();
    const counting = new CounterBatch();
    const sessions = new SessionUseBatch();
    const keys = new KeyUseBatch(ledger);
    const moves: CounterMove[] = [];
    let inserted = 0;
    for (const entry of entries) {
      if (!insertEntry(ledger, wellFormed(entry), counted)) continue;
      inserted += 1;
      keys.add(wellFormed(entry), entry.provenance);
      if (entry.sessionHash !== null) sessions.add(wellFormed(entry));
      if (entry.touched.length > 0) countCounters(ledger, entry, counting, moves);
    }
    keys.write();
    const overflowed = rollUp(ledger, counted);
    counting.write(ledger.connection);
    sessions.write(ledger);
    if (refused) appendRefusals(ledger, refused);
    moveMark(ledger.connection, journalId, mark);
    return { inserted, overflowed, moves };
  });
}

/** Inserts an entry; false = the call is already stored. */
function insertEntry(ledger: LedgerDatabase, entry: Entry, counted: ExactSums<RollupKind>): boolean {
  const { connection, kinds } = ledger;
  const counts = entryCounts(entry);
  const row = toEntryRow(entry, counts, ledger);
  const { changes, lastInsertRowid } = connection.statement(INSERT).run(...Object.values(row));
  if (changes === 0) return false;
  if (counts.unpricedCalls === 1) listUnpriced(connection, row.workspace, entry.startedAt, Number(lastInsertRowid));
  if (counts.calls === 1) counted.add(kinds.of(row, entry), toMeasures(counts));
  return true;
}

function countCounters(ledger: LedgerDatabase, entry: Entry, counting: CounterBatch, moves: CounterMove[]): void {
  if (entry.outcome === 'not_sent') return;
  for (const counterRef of entry.touched) {
    const whole = countInUnit(counterRef.unit, entry, false);
    const isReleased = isUncertain(entry) && entry.endedAt < releasedUntil(ledger, counterRef.counter);
    const held = isReleased ? countInUnit(counterRef.unit, entry, true) : whole;
    counting.add(counterRef, held.counted, held.uncertain, entry.startedAt);
    const missing = isReleased ? moveBetween(counterRef, whole, held) : null;
    if (missing) moves.push(missing);
  }
}
