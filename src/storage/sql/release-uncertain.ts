import type { CounterMove, CounterRef } from '../../domain/limits/limit.ts';
import { effectiveEntry } from '../effective-entry.ts';
import { countInUnit, moveBetween } from '../backfill.ts';
import type { SqlContext } from './entry-table.ts';
import { change, larger, type SqlSteps } from './steps.ts';
import { listTouched, moveCounter, readBackfills, releasedUntil } from './counters.ts';
import type { ReleaseResult, UncertainRelease } from '../counter-store.ts';

/** Uncertain entries per turn. */
export const UNCERTAIN_AT_ONCE = 500;

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
  context: SqlContext,
  workspaceId: string,
  { counter, windowStart, from, until }: UncertainRelease & { readonly from: number },
): SqlSteps<UncertainPart> {
  const ended = { start: from, end: until };
  const { entries: count, last } = yield* context.entries.countUncertain(
    context,
    workspaceId,
    ended,
    UNCERTAIN_AT_ONCE,
  );
  if (count === 0) return { entries: [], end: from, isLast: true };
  const isLast = count < UNCERTAIN_AT_ONCE;
  // More of them than that may have ended in one millisecond.
  const end = isLast ? last + 1 : Math.max(last, from + 1);
  const backfills = (yield* readBackfills(context.names, workspaceId)).filter((past) => past.counter === counter);
  const found = yield* context.entries.uncertain(context, workspaceId, { start: from, end });
  const entries = found.flatMap(({ id, recorded }) => {
    const entry = effectiveEntry(recorded);
    return listTouched(entry, id, backfills)
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
