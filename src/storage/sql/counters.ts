import type { CounterMove, CounterPlace, CounterRef, CounterState } from '../../domain/limits/limit.ts';
import { narrow } from '../../domain/money/money.ts';
import type { SqliteConnection } from '../sqlite/connection.ts';
import { ExactSums, type SumHolder } from './exact-sums.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { type Backfill, backfillCounter } from '../backfill.ts';
import type { LedgerDatabase } from '../sqlite/ledger-database.ts';
import { number, text } from './result-row.ts';
import type { CounterWindow, IdleCheck } from '../counter-store.ts';

const ADD = `INSERT INTO counters (counter, window_start, value, used_at, counted, uncertain) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (counter, window_start, value)
  DO UPDATE SET counted = counted + excluded.counted, uncertain = uncertain + excluded.uncertain,
    used_at = max(used_at, excluded.used_at)`;
const IS_ZERO = 'counted = 0 AND uncertain = 0';
const FORGET = `DELETE FROM counters WHERE counter = ? AND window_start = ? AND value = ? AND ${IS_ZERO}`;
const CLEAR = 'DELETE FROM counters WHERE counter = ? AND window_start = ?';
const IS_OPEN = '(window_start >= :from OR window_start = 0)';
const COLUMNS = 'counter, window_start, value, counted, uncertain';
const LIST = `SELECT ${COLUMNS} FROM counters WHERE ${IS_OPEN} AND NOT (${IS_ZERO})`;
const LIST_SOME = `SELECT ${COLUMNS} FROM counters
  WHERE counter IN (SELECT value FROM json_each(:counters)) AND ${IS_OPEN} AND NOT (${IS_ZERO})`;

interface CounterCell extends CounterPlace, SumHolder {
  usedAt: number;
}

/**
 * Collects what a batch counts, so that each counter is written once. Zero leaves no row: values come from clients,
 * and failed calls would fill the table with them.
 */
export class CounterBatch {
  readonly #cells = new Map<string, CounterCell>();
  readonly #sums = new ExactSums<CounterCell>();

  /** @param usedAt start of the call */
  add({ counter, windowStart, value }: CounterPlace, counted: number, uncertain: number, usedAt: number): void {
    const key = `${counter} ${windowStart} ${value}`;
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = { counter, windowStart, value, usedAt: 0, sum: null }));
    cell.usedAt = Math.max(cell.usedAt, usedAt);
    this.#sums.add(cell, [counted, uncertain]);
  }

  write(connection: SqliteConnection): void {
    for (const { of, measures } of this.#sums.all)
      if (measures.some((sum) => sum !== 0))
        connection.statement(ADD).run(of.counter, of.windowStart, of.value, of.usedAt, ...measures);
  }
}

/** Moves a counter and deletes it at 0. @param usedAt start of the call that was corrected */
export function moveCounter(connection: SqliteConnection, move: CounterMove, usedAt: number): void {
  const { counter, windowStart, value, counted, uncertain } = move;
  connection.statement(ADD).run(counter, windowStart, value, usedAt, counted, uncertain);
  connection.statement(FORGET).run(counter, windowStart, value);
}

export function setCounters(
  connection: SqliteConnection,
  counter: number,
  windowStart: number,
  states: readonly CounterState[],
): void {
  connection.statement(CLEAR).run(counter, windowStart);
  for (const { value, counted, uncertain } of states)
    connection.statement(ADD).run(counter, windowStart, value, 0, counted, uncertain);
}

export function listCounters(connection: SqliteConnection, from: number, counters?: readonly number[]): CounterState[] {
  const statement = connection.sumStatement(counters === undefined ? LIST : LIST_SOME);
  // At the start there may be very many; rows as lists are read in a quarter of the time.
  statement.setReturnArrays(true);
  const rows: unknown[] = statement.all(
    counters === undefined ? { from } : { from, counters: JSON.stringify(counters) },
  );
  return (rows as [bigint, bigint, string, bigint, bigint][]).map(
    ([counter, windowStart, value, counted, uncertain]) => ({
      counter: Number(counter),
      windowStart: Number(windowStart),
      value,
      counted: narrow(counted),
      uncertain: narrow(uncertain),
    }),
  );
}

const READ_ONE = 'SELECT counted, uncertain FROM counters WHERE counter = ? AND window_start = ? AND value = ?';

export function readCounters(connection: SqliteConnection, places: readonly CounterPlace[]): CounterState[] {
  const statement = connection.sumStatement(READ_ONE);
  return places.map(({ counter, windowStart, value }) => {
    const row = statement.get(counter, windowStart, value);
    const amount = (name: string): number | bigint => narrow((row?.[name] ?? 0n) as bigint);
    return { counter, windowStart, value, counted: amount('counted'), uncertain: amount('uncertain') };
  });
}

const FULLEST = `SELECT value, counted, uncertain FROM counters
  WHERE counter = :counter AND window_start = :start AND value <> '' AND counted > 0
  ORDER BY counted DESC, value LIMIT :limit`;

export function listFullest(
  connection: SqliteConnection,
  { counter, windowStart }: CounterWindow,
  limit: number,
): CounterState[] {
  const rows = connection.sumStatement(FULLEST).all({ counter, start: windowStart, limit });
  return rows.map((row) => ({
    counter,
    windowStart,
    value: text(row, 'value'),
    counted: narrow(row['counted'] as bigint),
    uncertain: narrow(row['uncertain'] as bigint),
  }));
}

const READ = 'SELECT backfill FROM counter_backfills WHERE workspace = ?';
const KEEP = 'INSERT OR REPLACE INTO counter_backfills (counter, workspace, start, backfill) VALUES (?, ?, ?, ?)';
const FORGET_RELEASE = 'DELETE FROM counter_releases WHERE counter = ?';
const RELEASED = 'SELECT until FROM counter_releases WHERE counter = ?';

/** Stored end of a window without an end. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function saveBackfill({ connection, names }: LedgerDatabase, past: Backfill): void {
  const written = JSON.stringify({ ...past, end: Math.min(past.end, NEVER) });
  connection.statement(KEEP).run(past.counter, names.id(past.workspaceId), past.start, written);
  connection.statement(FORGET_RELEASE).run(past.counter);
}

/**
 * Reads the backfills of a workspace. They are few, because they end with the window in which their limit was
 * created.
 */
export function readBackfills(
  { connection, names }: Pick<LedgerDatabase, 'connection' | 'names'>,
  workspaceId: string,
): Backfill[] {
  const workspace = names.find(workspaceId);
  const rows = workspace === undefined ? [] : connection.statement(READ).all(workspace);
  return rows.map((row) => JSON.parse(text(row, 'backfill')) as Backfill);
}

/** Lists the counters that count an entry: the counters that it names, and counters of backfills. */
export function listTouched(entry: Entry, id: number, backfills: readonly Backfill[]): readonly CounterRef[] {
  if (backfills.length === 0) return entry.touched;
  const named = new Set(entry.touched.map(({ counter }) => counter));
  const past = backfills.flatMap((one) => (named.has(one.counter) ? [] : (backfillCounter(one, entry, id) ?? [])));
  return [...entry.touched, ...past];
}

/** Returns the time before which ended uncertain entries of this counter are released. */
export function releasedUntil({ connection }: Pick<LedgerDatabase, 'connection'>, counter: number): number {
  return Number(connection.statement(RELEASED).get(counter)?.['until'] ?? 0);
}

const PRUNE = 'DELETE FROM counters WHERE counter = ? AND window_start < ? AND window_start > 0';
const PRUNE_PAST = 'DELETE FROM counter_backfills WHERE counter = ? AND start < ? AND start > 0';
const NUMBERS = `SELECT counter FROM counters UNION SELECT counter FROM counter_backfills
  UNION SELECT counter FROM counter_releases`;
const DROP = 'DELETE FROM counters WHERE counter = ?';
const DROP_MARKS = [
  'DELETE FROM counter_backfills WHERE counter = ?',
  'DELETE FROM counter_releases WHERE counter = ?',
];

export async function pruneCounters(
  ledger: LedgerDatabase,
  old: readonly { readonly counter: number; readonly before: number }[],
): Promise<number> {
  return await ledger.write(() => {
    let pruned = 0;
    for (const { counter, before } of old) {
      pruned += Number(ledger.connection.statement(PRUNE).run(counter, before).changes);
      ledger.connection.statement(PRUNE_PAST).run(counter, before);
    }
    return pruned;
  });
}

const NEXT_IDLE = `SELECT value, used_at FROM counters
  WHERE counter = :counter AND window_start = 0 AND value > :after ORDER BY value LIMIT :limit`;
const DROP_ONE = 'DELETE FROM counters WHERE counter = ? AND window_start = 0 AND value = ?';

export async function pruneIdleCounters(ledger: LedgerDatabase, check: IdleCheck): Promise<string | null> {
  const { counter, before, after, limit } = check;
  return await ledger.write(() => {
    const rows = ledger.connection.statement(NEXT_IDLE).all({ counter, after, limit });
    for (const row of rows)
      if (number(row, 'used_at') < before) ledger.connection.statement(DROP_ONE).run(counter, text(row, 'value'));
    const last = rows.at(-1);
    return rows.length < limit || !last ? null : text(last, 'value');
  });
}

/**
 * Deletes counters that are not listed. Numbers ascend: one above the highest may belong to a limit that was just
 * created.
 */
export async function dropOtherCounters(ledger: LedgerDatabase, counters: readonly number[]): Promise<number> {
  const kept = new Set(counters);
  const highest = counters.reduce((max, counter) => Math.max(max, counter), 0);
  return await ledger.write(() => {
    const rows = ledger.connection.statement(NUMBERS).all();
    const gone = rows.map((row) => Number(row['counter'])).filter((one) => one < highest && !kept.has(one));
    let dropped = 0;
    for (const counter of gone) {
      dropped += Number(ledger.connection.statement(DROP).run(counter).changes);
      for (const sql of DROP_MARKS) ledger.connection.statement(sql).run(counter);
    }
    return dropped;
  });
}
