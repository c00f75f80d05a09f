import { TollbookError } from './errors.ts';

const SECOND = 1_000;
const UNITS = { s: SECOND, m: 60 * SECOND, h: 3_600 * SECOND, d: 86_400 * SECOND } as const;
const YEAR = 366 * UNITS.d;

/** Milliseconds of `90s`, `15m`, `2h` or `7d`; at most a year. Throws `invalid`, naming the parameter. */
export function parseDuration(text: string, param: string): number {
  const match = /^(\d{1,9}) ?([smhd])$/.exec(text.trim());
  const ms = Number(match?.[1]) * UNITS[(match?.[2] ?? 's') as keyof typeof UNITS];
  if (ms > 0 && ms <= YEAR) return ms;
  throw new TollbookError(
    'invalid',
    `${param} "${text.slice(0, 40)}" is no duration; write for instance 90s, 15m, 2h or 7d, at most a year.`,
    param,
  );
}

/** In the largest unit that says it exactly: `2h`, `90m`, `7d`. */
export function formatDuration(ms: number): string {
  const fitting = (['d', 'h', 'm'] as const).find((unit) => ms % UNITS[unit] === 0) ?? 's';
  return `${ms / UNITS[fitting]}${fitting}`;
}
