import type { Limit } from '../../domain/limits/limit.ts';
import { believed } from '../booked.ts';
import { addValue, ASKED_ENTRIES_MAX, countedOf, statesOf, type Values } from '../past.ts';
import type { Range, Recount } from '../store.ts';
import { listCounters } from './counters.ts';
import { readDetailBegins } from './detail.ts';
import { toBooked } from './entry.ts';
import { ENTRY_COLUMNS } from './entry-row.ts';
import { readPasts, releasedUntil, touchesOf } from './pasts.ts';
import type { EntryReading, Steps } from './reading.ts';
import { number, type Row } from './row.ts';

/** Entries that are read in one turn. */
const AT_ONCE = 500;
const ARE_IN = 'workspace = :workspace AND began_at >= :start AND began_at < :end';
const COUNT = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${ARE_IN} LIMIT ${ASKED_ENTRIES_MAX + 1})`;
const NEXT = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${ARE_IN} AND (began_at, id) > (:start, :after)
  ORDER BY began_at, id LIMIT ${AT_ONCE}`;

export function* recountNamed(reading: EntryReading, limit: Limit, { start, end }: Range): Steps<Recount | null> {
  const { counter, workspaceId } = limit;
  const { connection, names } = reading;
  const workspace = names.find(workspaceId) ?? -1;
  const range = { workspace, start, end: Math.min(end, Number.MAX_SAFE_INTEGER) };
  const pasts = readPasts(reading, workspaceId).filter((past) => past.counter === counter);
  const isKnown = start >= readDetailBegins(connection, workspace) && pasts.every(({ asked }) => asked);
  if (!isKnown || Number(connection.statement(COUNT).get(range)?.['n']) > ASKED_ENTRIES_MAX) return null;
  const released = releasedUntil(reading, counter);
  const values: Values = new Map();
  const add = (row: Row): void => {
    const entry = believed(toBooked(reading, row));
    const touches = touchesOf(entry, number(row, 'id'), pasts);
    const touch = touches.find((one) => one.counter === counter && one.windowStart === start);
    if (!touch) return;
    const { counted, uncertain } = countedOf(touch.unit, entry, entry.endedAt < released);
    addValue(values, touch.value, BigInt(counted), BigInt(uncertain));
  };
  for (let from = { start, after: -1 }, isLast = false; !isLast;) {
    const rows = connection.statement(NEXT).all({ ...range, ...from });
    for (const row of rows) add(row);
    const last = rows.at(-1);
    isLast = rows.length < AT_ONCE;
    if (last) from = { start: number(last, 'began_at'), after: number(last, 'id') };
    if (!isLast) yield;
  }
  const counted = listCounters(connection, start, counter).filter(({ windowStart }) => windowStart === start);
  return { expected: statesOf(counter, start, values), counted };
}
