import { isUncertain } from '../../domain/usage/call.ts';
import type { CounterMove } from '../../domain/limits/limit.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import { entryCounts } from '../totals.ts';
import { wellFormed } from '../well-formed.ts';
import type { SqlLedger } from './sql-ledger.ts';
import { rollUp } from './roll-up.ts';
import { CounterBatch, releasedUntil } from './counters.ts';
import { type MeasuredEntry, toEntryRows } from './entry-rows.ts';
import type { NewEntry } from './entry-table.ts';
import { KeyUseBatch } from './key-use.ts';
import { markObserved } from './observed-refs.ts';
import { appendRefusals } from './refusals.ts';
import type { RollupKind } from './rollup-kinds.ts';
import { SessionUseBatch } from './session-use.ts';
import { ExactSums, toMeasures } from './exact-sums.ts';
import { ask, change, larger, type SqlSteps } from './steps.ts';
import { number } from './result-row.ts';
import { type AppendResult, type EntryBatch, lostCalls, type RollupOverflow } from '../entry-store.ts';

const READ = 'SELECT mark FROM marks WHERE journal_id = ?';
const MOVE = `INSERT INTO marks (journal_id, mark) VALUES (?, ?)
  ON CONFLICT (journal_id) DO UPDATE SET mark = ${larger('marks.mark', 'excluded.mark')}`;

const MOVE_ON = `UPDATE marks SET mark = ${larger('mark', ':mark')} WHERE journal_id = :journal AND mark >= :after`;

export function* readMark(journalId: string): SqlSteps<number> {
  const [row] = yield ask(READ, [journalId]);
  return row ? number(row, 'mark') : 0;
}

const LOCK = `INSERT INTO marks (journal_id, mark) VALUES (?, 0)
  ON CONFLICT (journal_id) DO UPDATE SET mark = marks.mark`;

/** Makes other processes with the same journal wait. Returns its mark. */
function* lockMark(journalId: string): SqlSteps<number> {
  yield* change(LOCK, [journalId]);
  return yield* readMark(journalId);
}

/** Moves the mark forward, never back. Throws `unavailable` if it is lower than when the batch was read. */
function* moveMark({ journalId, mark, after = 0 }: EntryBatch): SqlSteps<void> {
  const moved = yield* after > 0
    ? change(MOVE_ON, { mark, journal: journalId, after })
    : change(MOVE, [journalId, mark]);
  if (moved === 0) throw lostCalls();
}

/**
 * Appends entries with their roll-ups, counters, use of keys and sessions, and mark in one transaction. Only new
 * entries change the roll-ups.
 */
export function* appendEntries(ledger: SqlLedger, batch: EntryBatch): SqlSteps<AppendResult> {
  const { journalId, refused } = batch;
  // First: it makes another process that appends from the same journal wait.
  const markBefore = ledger.entries.needsMark ? yield* lockMark(journalId) : null;
  yield* moveMark(batch);
  if (ledger.dialect.nameNode !== null) yield ask(ledger.dialect.nameNode, [journalId]);
  const inserted = yield* insertEntries(ledger, batch, markBefore);
  const counting = new CounterBatch();
  const sessions = new SessionUseBatch();
  const keys = new KeyUseBatch(ledger);
  for (const { entry } of inserted) {
    keys.add(entry, entry.provenance);
    if (entry.sessionHash !== null) sessions.add(entry);
  }
  const moves = yield* countCounters(inserted, counting);
  // Before roll-ups, because it counts their values.
  yield* keys.write();
  const overflowed = yield* countRollups(ledger, inserted);
  yield* sessions.write(ledger);
  if (refused && refused.length > 0) yield* appendRefusals(ledger, journalId, refused);
  const observed = yield* markObserved(
    ledger,
    inserted.map(({ entry }) => entry),
  );
  // Last: calls of other nodes wait for counters that are being changed.
  yield* counting.write();
  return { inserted: inserted.length, overflowed, moves, observed };
}

/** Inserts entries; returns those whose call is new. */
function* insertEntries(
  ledger: SqlLedger,
  { journalId, mark, entries }: EntryBatch,
  markBefore: number | null,
): SqlSteps<NewEntry[]> {
  const measured = entries.map((given): MeasuredEntry => {
    const entry = wellFormed(given);
    return { entry, counts: entryCounts(entry) };
  });
  const rows = yield* toEntryRows(ledger, measured);
  const given = measured.flatMap((one, index): NewEntry[] => {
    const row = rows[index];
    return row ? [{ ...one, row }] : [];
  });
  const ids = yield* ledger.entries.insert(ledger, { journalId, mark, markBefore }, given);
  return given.filter((_, index) => ids[index] !== null);
}

function* countRollups(ledger: SqlLedger, inserted: readonly NewEntry[]): SqlSteps<RollupOverflow[]> {
  const sent = inserted.filter(({ counts }) => counts.calls === 1);
  const counted = new ExactSums<RollupKind>();
  for (const [index, kind] of (yield* ledger.kinds.of(sent)).entries()) {
    const counts = sent[index]?.counts;
    if (counts) counted.add(kind, toMeasures(counts));
  }
  return yield* rollUp(ledger, counted);
}

/** Counts entries in the counters that they name. Returns what is released already and so was not counted. */
function* countCounters(inserted: readonly NewEntry[], counting: CounterBatch): SqlSteps<CounterMove[]> {
  const moves: CounterMove[] = [];
  for (const { entry } of inserted) {
    if (entry.outcome === 'not_sent') continue;
    for (const counterRef of entry.touched) {
      const whole = countInUnit(counterRef.unit, entry, false);
      const isReleased = isUncertain(entry) && entry.endedAt < (yield* releasedUntil(counterRef.counter));
      const held = isReleased ? countInUnit(counterRef.unit, entry, true) : whole;
      counting.add(counterRef, held.counted, held.uncertain, entry.startedAt);
      const missing = isReleased ? moveBetween(counterRef, whole, held) : null;
      if (missing) moves.push(missing);
    }
  }
  return moves;
}
