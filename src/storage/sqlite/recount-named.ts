import type { Limit } from '../../domain/limits/limit.ts';
import { effectiveEntry } from '../booked.ts';
import { addValue, SCANNED_ENTRIES_MAX, countInUnit, toCounterStates, type ValueSums } from '../past.ts';
import type { TimeRange, CounterRecount } from '../store.ts';
import { listCounters } from './counters.ts';
import { readDetailBegins } from './detail.ts';
import { toRecordedEntry } from './entry.ts';
import { ENTRY_COLUMNS } from './entry-row.ts';
import { readBackfills, releasedUntil, listTouched } from './pasts.ts';
import type { EntryReader, QuerySteps } from './reading.ts';
import { number, type ResultRow } from './row.ts';

/** Entries that are read in one turn. */
const AT_ONCE = 500;
const ARE_IN = 'workspace = :workspace AND began_at >= :start AND began_at < :end';
const COUNT = `SELECT count(*) AS n FROM (SELECT 1 FROM entries WHERE ${ARE_IN} LIMIT ${SCANNED_ENTRIES_MAX + 1})`;
const NEXT = `SELECT ${ENTRY_COLUMNS} FROM entries e WHERE ${ARE_IN} AND (began_at, id) > (:start, :after)
  ORDER BY began_at, id LIMIT ${AT_ONCE}`;

export function* recountNamedEntries(
  reading: EntryReader,
  limit: Limit,
  { start, end }: TimeRange,
): QuerySteps<CounterRecount | null> {
  const { counter, workspaceId } = limit;
  const { connection, names } = reading;
  const workspace = names.find(workspaceId) ?? -1;
  const range = { workspace, start, end: Math.min(end, Number.MAX_SAFE_INTEGER) };
  const pasts = readBackfills(reading, workspaceId).filter((past) => past.counter === counter);
  const isKnown = start >= readDetailBegins(connection, workspace) && pasts.every(({ asked }) => asked);
  if (!isKnown || Number(connection.statement(COUNT).get(range)?.['n']) > SCANNED_ENTRIES_MAX) return null;
  const released = releasedUntil(reading, counter);
  const values: ValueSums = new Map();
  const add = (row: ResultRow): void => {
    const entry = effectiveEntry(toRecordedEntry(reading, row));
    const touches = listTouched(entry, number(row, 'id'), pasts);
    const touch = touches.find((one) => one.counter === counter && one.windowStart === start);
    if (!touch) return;
    const { counted, uncertain } = countInUnit(touch.unit, entry, entry.endedAt < released);
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
  return { expected: toCounterStates(counter, start, values), counted };
}
