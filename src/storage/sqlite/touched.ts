import { type CounterRef, LIMIT_UNITS } from '../../domain/limits/limit.ts';
import { readCounterRefRow, toCounterRefRow, type CounterRefRow } from '../../domain/limits/counter-ref.ts';

/** The counters an entry names, as they are stored; null = none. */
export function touchedText(touched: readonly CounterRef[]): string | null {
  return touched.length === 0 ? null : JSON.stringify(toCounterRefRow(touched, (unit) => unit));
}

export function parseTouched(text: string | null): CounterRef[] {
  if (text === null) return [];
  return readCounterRefRow(JSON.parse(text) as CounterRefRow, (word) => LIMIT_UNITS.find((unit) => unit === word));
}
