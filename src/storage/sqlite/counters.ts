import type { CounterMove, CounterState, Touch } from '../../core/limit.ts';
import { narrow } from '../../core/money.ts';
import type { Connection } from './connection.ts';
import { type Summed, Sums } from './sums.ts';

type Place = Pick<Touch, 'counter' | 'windowStart' | 'value'>;

const ADD = `INSERT INTO counters (counter, window_start, value, counted, uncertain) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (counter, window_start, value)
  DO UPDATE SET counted = counted + excluded.counted, uncertain = uncertain + excluded.uncertain`;
// A number is bound as a float, and a sum with a float is one: beyond 2^53 it would lose nano-dollars.
const MOVE = `UPDATE counters
  SET counted = counted + CAST(? AS INTEGER), uncertain = uncertain + CAST(? AS INTEGER)
  WHERE counter = ? AND window_start = ? AND value = ?`;
const CLEAR = 'DELETE FROM counters WHERE counter = ? AND window_start = ?';
const IS_OPEN = '(window_start >= :from OR window_start = 0)';
const COLUMNS = 'counter, window_start, value, counted, uncertain';
const LIST = `SELECT ${COLUMNS} FROM counters WHERE ${IS_OPEN}`;
const LIST_ONE = `SELECT ${COLUMNS} FROM counters WHERE counter = :counter AND ${IS_OPEN}`;

/** What a batch counts: each counter is written once. */
export class Counting {
  readonly #cells = new Map<string, Place & Summed>();
  readonly #sums = new Sums<Place & Summed>();

  add({ counter, windowStart, value }: Place, counted: number, uncertain: number): void {
    const key = `${counter} ${windowStart} ${value}`;
    let cell = this.#cells.get(key);
    if (!cell) this.#cells.set(key, (cell = { counter, windowStart, value, sum: null }));
    this.#sums.add(cell, [counted, uncertain]);
  }

  write(connection: Connection): void {
    for (const { of, measures } of this.#sums.all)
      connection.statement(ADD).run(of.counter, of.windowStart, of.value, ...measures);
  }
}

/** False when the counter is not there. */
export function moveCounter(connection: Connection, move: CounterMove): boolean {
  const { counter, windowStart, value, counted, uncertain } = move;
  return connection.statement(MOVE).run(counted, uncertain, counter, windowStart, value).changes === 1;
}

export function setCounters(
  connection: Connection,
  counter: number,
  windowStart: number,
  states: readonly CounterState[],
): void {
  connection.statement(CLEAR).run(counter, windowStart);
  for (const { value, counted, uncertain } of states)
    connection.statement(ADD).run(counter, windowStart, value, counted, uncertain);
}

export function listCounters(connection: Connection, from: number, counter?: number): CounterState[] {
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
