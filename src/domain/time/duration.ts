import { TollbookError } from '../errors.ts';
import { DAY_MS, HOUR_MS } from './units.ts';

/** Largest first. */
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['m', 60_000],
  ['s', 1_000],
]);
const YEAR_MS = 366 * DAY_MS;

/** Milliseconds of `90s`, `15m`, `2h` or `7d`; at most a year. Throws `invalid`, naming the parameter. */
export function parseDuration(text: string, param: string): number {
  const match = /^(\d{1,9}) ?([smhd])$/.exec(text.trim());
  const ms = Number(match?.[1]) * (UNIT_MS.get(match?.[2] ?? '') ?? NaN);
  if (ms > 0 && ms <= YEAR_MS) return ms;
  throw new TollbookError(
    'invalid',
    `${param} "${text.slice(0, 40)}" is not a duration; write for example 90s, 15m, 2h or 7d, at most a year.`,
    param,
  );
}

/** In the largest unit that says it exactly: `2h`, `90m`, `7d`. */
export function formatDuration(ms: number): string {
  for (const [unit, unitMs] of UNIT_MS) if (ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  return `${ms / 1_000}s`;
}
