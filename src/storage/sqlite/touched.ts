import { type CounterRef, UNITS } from '../../domain/limits/limit.ts';
import { readTouchRow, toTouchRow, type TouchRow } from '../../domain/limits/counter-ref.ts';

/** The counters an entry names, as they are stored; null = none. */
export function touchedText(touched: readonly CounterRef[]): string | null {
  return touched.length === 0 ? null : JSON.stringify(toTouchRow(touched, (unit) => unit));
}

export function parseTouched(text: string | null): CounterRef[] {
  if (text === null) return [];
  return readTouchRow(JSON.parse(text) as TouchRow, (word) => UNITS.find((unit) => unit === word));
}
