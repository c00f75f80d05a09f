import type { CounterMove, CounterRef } from '../../domain/limits/limit.ts';
import { effectiveEntry } from '../effective-entry.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import type { SqlContext } from './entry-reader.ts';
import { ask, change, larger, type SqlSteps } from './steps.ts';
import { listTouched, moveCounter, readBackfills, releasedUntil } from './counters.ts';
import { toRecordedEntries } from './read-entry.ts';
import { ENTRY_COLUMNS } from './entry-rows.ts';
import { number } from './result-row.ts';
import type { ReleaseResult, UncertainRelease } from '../counter-store.ts';

/** Uncertain entries per turn. */
export const UNCERTAIN_AT_ONCE = 500;

const ARE_UNCERTAIN = `workspace = :workspace AND uncertain_calls = 1 AND resolved = 0
  AND ended_at >= :from AND ended_at < :until`;
const NEXT = `SELECT count(*) AS entries, max(ended_at) AS last FROM (
  SELECT ended_at FROM entries WHERE ${ARE_UNCERTAIN} ORDER BY ended_at LIMIT ${UNCERTAIN_AT_ONCE}) AS next`;
const READ = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${ARE_UNCERTAIN} ORDER BY ended_at, id`;
const MARK = `INSERT INTO counter_releases (counter, until) VALUES (?, ?)
  ON CONFLICT (counter) DO UPDATE SET until = ${larger('counter_releases.until', 'excluded.until')}`;

export function* releaseUncertain(
  context: SqlContext,
  workspaceId: string,
  due: UncertainRelease,
): SqlSteps<ReleaseResult> {
  const { counter, windowStart } = due;
  // What ended before the window began is not counted in it.
  const from = Math.max(yield* releasedUntil(counter), windowStart);
  const { entries, end, isLast } = yield* nextUncertain(context, workspaceId, { ...due, from });
  const moves: CounterMove[] = [];
  for (const { counterRef, whole, sure, startedAt } of entries) {
    const move = moveBetween(counterRef, whole, sure);
    if (!move) continue;
    yield* moveCounter(move, startedAt);
    moves.push(move);
  }
  if (end > from) yield* change(MARK, [counter, end]);
  return { moves, isDone: isLast };
}

interface UncertainEntry {
  readonly counterRef: CounterRef;
  readonly startedAt: number;
  readonly whole: ReturnType<typeof countInUnit>;
  readonly sure: ReturnType<typeof countInUnit>;
}

interface UncertainPart {
  readonly entries: readonly UncertainEntry[];
  /** Start of the next part, right after the last of them at the latest. */
  readonly end: number;
  readonly isLast: boolean;
}

/** Returns the uncertain parts of the next calls that ended in a time range, for one counter. */
export function* nextUncertain(
  { names }: SqlContext,
  workspaceId: string,
  { counter, windowStart, from, until }: UncertainRelease & { readonly from: number },
): SqlSteps<UncertainPart> {
  const workspace = yield* names.find(workspaceId);
  const [row] = workspace === undefined ? [] : yield ask(NEXT, { workspace, from, until });
  const count = row ? number(row, 'entries') : 0;
  if (workspace === undefined || !row || count === 0) return { entries: [], end: from, isLast: true };
  const last = number(row, 'last');
  const isLast = count < UNCERTAIN_AT_ONCE;
  // More of them than that may have ended in one millisecond.
  const end = isLast ? last + 1 : Math.max(last, from + 1);
  const backfills = (yield* readBackfills(names, workspaceId)).filter((past) => past.counter === counter);
  const rows = yield ask(READ, { workspace, from, until: end });
  const recorded = yield* toRecordedEntries(rows);
  const entries = recorded.flatMap((one, index) => {
    const entry = effectiveEntry(one);
    return listTouched(entry, number(rows[index] ?? {}, 'id'), backfills)
      .filter((touched) => touched.counter === counter && touched.windowStart === windowStart)
      .map((counterRef) => ({
        counterRef,
        startedAt: entry.startedAt,
        whole: countInUnit(counterRef.unit, entry, false),
        sure: countInUnit(counterRef.unit, entry, true),
      }));
  });
  return { entries, end, isLast };
}
