import { type Touch, UNITS } from '../../core/limit.ts';

const FIELDS = 4;

/** The counters an entry names, as they are stored; null = none. */
export function touchedText(touched: readonly Touch[]): string | null {
  if (touched.length === 0) return null;
  return JSON.stringify(
    touched.flatMap(({ counter, unit, windowStart, value }) => [counter, unit, windowStart, value]),
  );
}

export function parseTouched(text: string | null): Touch[] {
  if (text === null) return [];
  const row = JSON.parse(text) as unknown[];
  const touched: Touch[] = [];
  for (let at = 0; at + FIELDS <= row.length; at += FIELDS) {
    const [counter, word, windowStart, value] = row.slice(at, at + FIELDS);
    const unit = UNITS.find((one) => one === word);
    if (unit === undefined) throw new Error(`The book holds the unknown unit "${String(word)}".`);
    touched.push({ counter: Number(counter), unit, windowStart: Number(windowStart), value: String(value) });
  }
  return touched;
}
