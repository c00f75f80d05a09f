import type { CounterRef, LimitUnit } from './limit.ts';

/** The counters that a call names, as they are kept: four items of each, since names of fields would be most of it. */
export type CounterRefRow = (number | string)[];

const FIELDS = 4;

/** @param written how a unit is written */
export function toCounterRefRow(
  touches: readonly CounterRef[],
  written: (unit: LimitUnit) => number | string,
): CounterRefRow {
  const row: CounterRefRow = [];
  for (const { counter, unit, windowStart, value } of touches) row.push(counter, written(unit), windowStart, value);
  return row;
}

/**
 * Throws a `SyntaxError` where a unit is not known.
 * @param read the unit of what `written` made of it
 */
export function readCounterRefRow(
  row: CounterRefRow,
  read: (written: CounterRefRow[number] | undefined) => LimitUnit | undefined,
): CounterRef[] {
  const touches: CounterRef[] = [];
  for (let at = 0; at + FIELDS <= row.length; at += FIELDS) {
    const unit = read(row[at + 1]);
    if (!unit) throw new SyntaxError(`A call names a counter in the unknown unit "${row[at + 1]}".`);
    touches.push({
      counter: Number(row[at]),
      unit,
      windowStart: Number(row[at + 2]),
      value: String(row[at + 3]),
    });
  }
  return touches;
}
