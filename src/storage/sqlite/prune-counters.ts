import type { LedgerDatabase } from './book.ts';

const PRUNE = 'DELETE FROM counters WHERE counter = ? AND window_start < ? AND window_start > 0';
const PRUNE_PAST = 'DELETE FROM counter_pasts WHERE counter = ? AND start < ? AND start > 0';
const NUMBERS = `SELECT counter FROM counters UNION SELECT counter FROM counter_pasts
  UNION SELECT counter FROM counter_releases`;
const DROP = 'DELETE FROM counters WHERE counter = ?';
const DROP_MARKS = ['DELETE FROM counter_pasts WHERE counter = ?', 'DELETE FROM counter_releases WHERE counter = ?'];

export async function pruneCounters(
  book: LedgerDatabase,
  old: readonly { readonly counter: number; readonly before: number }[],
): Promise<number> {
  return await book.write(() => {
    let pruned = 0;
    for (const { counter, before } of old) {
      pruned += Number(book.connection.statement(PRUNE).run(counter, before).changes);
      book.connection.statement(PRUNE_PAST).run(counter, before);
    }
    return pruned;
  });
}

/** Numbers are given in ascending order: one above the highest may belong to a limit that was made just now. */
export async function dropOtherCounters(book: LedgerDatabase, counters: readonly number[]): Promise<number> {
  const kept = new Set(counters);
  const highest = counters.reduce((max, counter) => Math.max(max, counter), 0);
  return await book.write(() => {
    const rows = book.connection.statement(NUMBERS).all();
    const gone = rows.map((row) => Number(row['counter'])).filter((one) => one < highest && !kept.has(one));
    let dropped = 0;
    for (const counter of gone) {
      dropped += Number(book.connection.statement(DROP).run(counter).changes);
      for (const sql of DROP_MARKS) book.connection.statement(sql).run(counter);
    }
    return dropped;
  });
}
