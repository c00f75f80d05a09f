import type { CounterMove, CounterState, CounterRef } from '../../domain/limits/limit.ts';
import { narrow } from '../../domain/money/money.ts';
import type { SqliteConnection } from './connection.ts';
import { type SumHolder, ExactSums } from './sums.ts';

type CounterPlace = Pick<CounterRef, 'counter' | 'windowStart' | 'value'>;

const ADD = `INSERT INTO counters (counter, window_start, value, counted, uncertain) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (counter, window_start, value)
  DO UPDATE SET counted = counted + excluded.counted, uncertain = uncertain + excluded.uncertain`;
const IS_ZERO = 'counted = 0 AND uncertain = 0';
const FORGET = `DELETE FROM counters WHERE counter = ? AND window_start = ? AND value = ? AND ${IS_ZERO}`;
const CLEAR = 'DELETE FROM counters WHERE counter = ? AND window_start = ?';
const IS_OPEN = '(window_start >= :from OR window_start = 0)';
const COLUMNS = 'counter, window_start, value, counted, uncertain';
// Before, counters of 0 were kept.
const LIST = `SELECT ${COLUMNS} FROM counters WHERE ${IS_OPEN} AND NOT (${IS_ZERO})`;
const LIST_ONE = `SELECT ${COLUMNS} FROM counters WHERE counter = :counter AND ${IS_OPEN} AND NOT (${IS_ZERO})`;

/**
 * What a batch counts: each counter is written once. What counts nothing leaves no row: values come from the wire, and
 * calls that failed would fill the table with them.
 */
export class CounterBatch {
  readonly #cells = new Map<string, CounterPlace & SumHolder>();
  readonly #sums = new ExactSums<CounterPlace & SumHolder>();

  add({ counter, windowStart, value }: CounterPlace, counted: number, uncertain: number): void {
    const key = `${counter} ${windowStart} ${value}`;
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = { counter, windowStart, value, sum: null }));
    this.#sums.add(cell, [counted, uncertain]);
  }

  write(connection: SqliteConnection): void {
    for (const { of, measures } of this.#sums.all)
      if (measures.some((sum) => sum !== 0))
        connection.statement(ADD).run(of.counter, of.windowStart, of.value, ...measures);
  }
}

/** One that stands at 0 then is there no more. */
export function moveCounter(connection: SqliteConnection, move: CounterMove): void {
  const { counter, windowStart, value, counted, uncertain } = move;
  connection.statement(ADD).run(counter, windowStart, value, counted, uncertain);
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
    connection.statement(ADD).run(counter, windowStart, value, counted, uncertain);
}

export function listCounters(connection: SqliteConnection, from: number, counter?: number): CounterState[] {
  const statement = connection.sumStatement(counter === undefined ? LIST : LIST_ONE);
  // At the start there may be very many; rows as lists are read in a quarter of the time.
  statement.setReturnArrays(true);
  const rows: unknown[] = statement.all(counter === undefined ? { from } : { from, counter });
  return (rows as [bigint, bigint, string, bigint, bigint][]).map(
    ([number, windowStart, value, counted, uncertain]) => ({
      counter: Number(number),
      windowStart: Number(windowStart),
      value,
      counted: narrow(counted),
      uncertain: narrow(uncertain),
    }),
  );
}
