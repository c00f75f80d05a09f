const RANGE = /^(\d+)(k|m)?-(\d+)(k|m)$/;
const UNITS: Readonly<Record<string, number>> = { k: 1_000, m: 1_000_000 };

/** Prompt lengths, in tokens: more than `above`, up to `upTo`. */
export interface ContextRange {
  readonly above: number;
  readonly upTo: number;
}

/** Of a report's word for prompt lengths, such as `200k-1m`; null = it says none. */
export function contextRange(context: string | null): ContextRange | null {
  const [, from, fromUnit = '', to, toUnit = ''] = RANGE.exec(context ?? '') ?? [];
  if (!from || !to) return null;
  return { above: Number(from) * (UNITS[fromUnit] ?? 1), upTo: Number(to) * (UNITS[toUnit] ?? 1) };
}
