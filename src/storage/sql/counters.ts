import type { CounterMove, CounterPlace, CounterRef, CounterState } from '../../domain/limits/limit.ts';
import { narrow } from '../../domain/money/money.ts';
import { counterKey } from '../../leases/exchange.ts';
import { ExactSums, type SumHolder } from './exact-sums.ts';
import type { Entry } from '../../domain/usage/call.ts';
import { type Backfill, backfillCounter } from '../backfill.ts';
import { number, type ResultRow, text } from './result-row.ts';
import type { NameTable } from './name-table.ts';
import {
  addColumns,
  ask,
  askEachSums,
  askSumLists,
  askSums,
  change,
  insertRows,
  larger,
  type RowInsert,
  type SqlSteps,
} from './steps.ts';
import type { CounterWindow, IdleCheck } from '../counter-store.ts';

const KEY = ['counter', 'window_start', 'value'];
const ADD: RowInsert = {
  table: 'counters',
  columns: [...KEY, 'used_at', 'counted', 'uncertain'],
  keyColumns: KEY.length,
  onConflict: `ON CONFLICT (${KEY.join(', ')}) DO UPDATE SET ${addColumns('counters', ['counted', 'uncertain'])},
    used_at = ${larger('counters.used_at', 'excluded.used_at')}`,
  returning: [],
};
const IS_ZERO = 'counted = 0 AND uncertain = 0';
const FORGET = `DELETE FROM counters WHERE counter = ? AND window_start = ? AND value = ? AND ${IS_ZERO}`;
const CLEAR = 'DELETE FROM counters WHERE counter = ? AND window_start = ?';
const COLUMNS = 'counter, window_start, value, counted, uncertain';
const IS_OPEN = `(window_start >= ? OR window_start = 0) AND NOT (${IS_ZERO})`;
const LIST = `SELECT ${COLUMNS} FROM counters WHERE ${IS_OPEN}`;
const LIST_ONE = `SELECT ${COLUMNS} FROM counters WHERE counter = ? AND ${IS_OPEN}`;

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

  *write(): SqlSteps<void> {
    const counted = this.#sums.all.filter(({ measures }) => measures.some((sum) => sum !== 0));
    const rows = counted.map(({ of: cell, measures }) =>
      [cell.counter, cell.windowStart, cell.value, cell.usedAt].concat(measures),
    );
    yield* insertRows(ADD, rows);
  }
}

/** Moves a counter and deletes it at 0. @param usedAt start of the call that was corrected */
export function* moveCounter(move: CounterMove, usedAt: number): SqlSteps<void> {
  const { counter, windowStart, value, counted, uncertain } = move;
  yield* insertRows(ADD, [[counter, windowStart, value, usedAt, counted, uncertain]]);
  yield* change(FORGET, [counter, windowStart, value]);
}

export function* setCounters(counter: number, windowStart: number, states: readonly CounterState[]): SqlSteps<void> {
  yield* change(CLEAR, [counter, windowStart]);
  yield* insertRows(
    ADD,
    states.map(({ value, counted, uncertain }) => [counter, windowStart, value, 0, counted, uncertain]),
  );
}

export function* listCounters(from: number, counters?: readonly number[]): SqlSteps<CounterState[]> {
  // After a window without end no other begins.
  const since = Math.min(from, NEVER);
  // At the start there may be very many; rows as lists are read in a quarter of the time.
  if (counters === undefined) return toStates(yield askSumLists(LIST, [since]));
  const states: CounterState[] = [];
  for (const counter of counters) states.push(...toStates(yield askSumLists(LIST_ONE, [counter, since])));
  return states;
}

function toStates(rows: readonly unknown[]): CounterState[] {
  return (rows as readonly [bigint, bigint, string, bigint, bigint][]).map(
    ([counter, windowStart, value, counted, uncertain]) => ({
      counter: Number(counter),
      windowStart: Number(windowStart),
      value,
      counted: narrow(counted),
      uncertain: narrow(uncertain),
    }),
  );
}

const READ_ONE = `SELECT ${COLUMNS} FROM counters WHERE counter = ? AND window_start = ? AND value = ?`;

/** Reads counters with one question: each second, a node asks for as many as have recent calls. */
export function* readCounters(places: readonly CounterPlace[]): SqlSteps<CounterState[]> {
  const rows = yield* askEachSums(
    READ_ONE,
    places.map(({ counter, windowStart, value }) => [counter, windowStart, value]),
  );
  const place = (row: ResultRow): CounterPlace => ({
    counter: Number(row['counter']),
    windowStart: Number(row['window_start']),
    value: text(row, 'value'),
  });
  const found = new Map(rows.map((row) => [counterKey(place(row)), row]));
  return places.map((asked) => {
    const row = found.get(counterKey(asked));
    const amount = (name: string): number | bigint => narrow((row?.[name] ?? 0n) as bigint);
    return { ...asked, counted: amount('counted'), uncertain: amount('uncertain') };
  });
}

const FULLEST = `SELECT value, counted, uncertain FROM counters
  WHERE counter = :counter AND window_start = :start AND value <> '' AND counted > 0
  ORDER BY counted DESC, value LIMIT :limit`;

export function* listFullest({ counter, windowStart }: CounterWindow, limit: number): SqlSteps<CounterState[]> {
  const rows = yield askSums(FULLEST, { counter, start: windowStart, limit });
  return rows.map((row) => ({
    counter,
    windowStart,
    value: text(row, 'value'),
    counted: narrow(row['counted'] as bigint),
    uncertain: narrow(row['uncertain'] as bigint),
  }));
}

const READ = 'SELECT backfill FROM counter_backfills WHERE workspace = ?';
const KEEP = `INSERT INTO counter_backfills (counter, workspace, start, backfill) VALUES (?, ?, ?, ?)
  ON CONFLICT (counter) DO UPDATE SET workspace = excluded.workspace, start = excluded.start, backfill = excluded.backfill`;
const FORGET_RELEASE = 'DELETE FROM counter_releases WHERE counter = ?';
const RELEASED = 'SELECT until FROM counter_releases WHERE counter = ?';

/** Stored end of a window without an end. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function* saveBackfill(names: NameTable, past: Backfill): SqlSteps<void> {
  const written = JSON.stringify({ ...past, end: Math.min(past.end, NEVER) });
  yield* change(KEEP, [past.counter, yield* names.id(past.workspaceId), past.start, written]);
  yield* change(FORGET_RELEASE, [past.counter]);
}

/**
 * Reads the backfills of a workspace. They are few, because they end with the window in which their limit was
 * created.
 */
export function* readBackfills(names: NameTable, workspaceId: string): SqlSteps<Backfill[]> {
  const workspace = yield* names.find(workspaceId);
  const rows = workspace === undefined ? [] : yield ask(READ, [workspace]);
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
export function* releasedUntil(counter: number): SqlSteps<number> {
  const [row] = yield ask(RELEASED, [counter]);
  return row ? number(row, 'until') : 0;
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

export function* pruneCounters(
  old: readonly { readonly counter: number; readonly before: number }[],
): SqlSteps<number> {
  let pruned = 0;
  for (const { counter, before } of old) {
    pruned += yield* change(PRUNE, [counter, before]);
    yield* change(PRUNE_PAST, [counter, before]);
  }
  return pruned;
}

const NEXT_IDLE = `SELECT value, used_at FROM counters
  WHERE counter = :counter AND window_start = 0 AND value > :after ORDER BY value LIMIT :limit`;
const DROP_ONE = 'DELETE FROM counters WHERE counter = ? AND window_start = 0 AND value = ?';

export function* pruneIdleCounters({ counter, before, after, limit }: IdleCheck): SqlSteps<string | null> {
  const rows = yield ask(NEXT_IDLE, { counter, after, limit });
  for (const row of rows) if (number(row, 'used_at') < before) yield* change(DROP_ONE, [counter, text(row, 'value')]);
  const last = rows.at(-1);
  return rows.length < limit || !last ? null : text(last, 'value');
}

/**
 * Deletes counters that are not listed. Numbers ascend: one above the highest may belong to a limit that was just
 * created.
 */
export function* dropOtherCounters(counters: readonly number[]): SqlSteps<number> {
  const kept = new Set(counters);
  const highest = counters.reduce((max, counter) => Math.max(max, counter), 0);
  const rows = yield ask(NUMBERS);
  const gone = rows.map((row) => number(row, 'counter')).filter((one) => one < highest && !kept.has(one));
  let dropped = 0;
  for (const counter of gone) {
    dropped += yield* change(DROP, [counter]);
    for (const sql of DROP_MARKS) yield* change(sql, [counter]);
  }
  return dropped;
}
