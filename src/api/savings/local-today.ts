import { offsetAt } from '../../domain/time/period.ts';

/** `2026-01-31` */
export function localToday(now: number, timeZone: string): string {
  return new Date(now + offsetAt(now, timeZone)).toISOString().slice(0, 10);
}
