import { offsetAt } from './period.ts';

/** `2026-01-31 13:05` in the zone. */
export function localTime(ms: number, timeZone: string): string {
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 16).replace('T', ' ');
}
