import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time/units.ts';

/** Formats a length of time in at most two units: `87 ms`, `1.24 s`, `3 min 20 s`, `2 h 14 min`, `3 d 4 h`. */
export function describeDuration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.round(ms)} ms`;
  if (ms < MINUTE_MS) return `${(ms / SECOND_MS).toFixed(ms < 10 * SECOND_MS ? 2 : 1)} s`;
  if (ms < HOUR_MS) return twoUnits(Math.round(ms / SECOND_MS), 60, 'min', 's');
  const minutes = Math.floor(ms / MINUTE_MS);
  return ms < DAY_MS ? twoUnits(minutes, 60, 'h', 'min') : twoUnits(Math.floor(minutes / 60), 24, 'd', 'h');
}

/** Formats a remaining time without seconds: `5 min`, `2 h 14 min`, `3 d 4 h`. */
export function describeTimeLeft(ms: number): string {
  return ms < HOUR_MS ? `${Math.floor(ms / MINUTE_MS)} min` : describeDuration(ms);
}

const AGO_UNITS = [
  ['day', DAY_MS],
  ['hour', HOUR_MS],
  ['minute', MINUTE_MS],
  ['second', SECOND_MS],
] as const;
/** Made at its first use: it takes tens of milliseconds, and few programs need it. */
let relative: Intl.RelativeTimeFormat | null = null;

/** Formats an instant relative to now: `3 minutes ago`, `in 2 hours`. */
export function describeAgo(instant: number | string, now: number): string {
  const ms = new Date(instant).getTime() - now;
  const seconds = Math.round(ms / SECOND_MS) * SECOND_MS;
  const [unit, length] = AGO_UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? ['second', SECOND_MS];
  relative ??= new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' });
  return relative.format(Math.trunc(seconds / length), unit);
}

function twoUnits(small: number, perLarge: number, largeUnit: string, smallUnit: string): string {
  const rest = small % perLarge;
  return `${Math.floor(small / perLarge)} ${largeUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ''}`;
}
