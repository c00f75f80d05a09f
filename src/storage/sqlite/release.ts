import type { CounterMove, Touch } from '../../core/limit.ts';
import { believed } from '../booked.ts';
import { countedOf, moveBetween } from '../past.ts';
import type { Release } from '../store.ts';
import type { Book } from './book.ts';
import { moveCounter } from './counters.ts';
import { toBooked } from './entry.ts';
import { ENTRY_COLUMNS } from './entry-row.ts';
import { readPasts, releasedUntil, touchesOf } from './pasts.ts';
import { number } from './row.ts';

const UNCERTAIN = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE e.workspace = :workspace
  AND e.uncertain_calls = 1 AND e.resolved = 0 AND e.ended_at >= :from AND e.ended_at < :until ORDER BY e.ended_at, e.id`;
const MARK = `INSERT INTO counter_releases (counter, until) VALUES (?, ?)
  ON CONFLICT (counter) DO UPDATE SET until = max(until, excluded.until)`;

export async function release(book: Book, workspaceId: string, due: readonly Release[]): Promise<CounterMove[]> {
  return await book.write(() => due.flatMap((one) => releaseOne(book, workspaceId, one)));
}

function releaseOne(book: Book, workspaceId: string, { counter, windowStart, until }: Release): CounterMove[] {
  // What ended before the window began is not counted in it.
  const from = Math.max(releasedUntil(book, counter), windowStart);
  const moves: CounterMove[] = [];
  for (const { touch, whole, sure } of uncertainEntries(book, workspaceId, { counter, windowStart, from, until })) {
    const move = moveBetween(touch, whole, sure);
    if (!move) continue;
    moveCounter(book.connection, move);
    moves.push(move);
  }
  book.connection.statement(MARK).run(counter, until);
  return moves;
}

interface UncertainEntry {
  readonly touch: Touch;
  readonly whole: ReturnType<typeof countedOf>;
  readonly sure: ReturnType<typeof countedOf>;
}

/** What is uncertain in one counter of calls that ended in a range of time. */
export function uncertainEntries(
  book: Book,
  workspaceId: string,
  { counter, windowStart, from, until }: Release & { readonly from: number },
): UncertainEntry[] {
  const pasts = readPasts(book, workspaceId).filter((past) => past.counter === counter);
  const rows = book.connection.statement(UNCERTAIN).all({ workspace: book.names.id(workspaceId), from, until });
  return rows.flatMap((row) => {
    const entry = believed(toBooked(book, row));
    const touches = touchesOf(entry, number(row, 'id'), pasts);
    const touch = touches.find((one) => one.counter === counter && one.windowStart === windowStart);
    return touch
      ? [{ touch, whole: countedOf(touch.unit, entry, false), sure: countedOf(touch.unit, entry, true) }]
      : [];
  });
}
