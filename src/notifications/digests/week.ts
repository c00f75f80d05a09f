import { offsetAt, type Period } from '../../domain/time/period.ts';
import { windowAt } from '../../domain/time/window.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** On Mondays, local time. */
const SENT_AT_HOUR = 8;

export interface DigestWeek {
  /** The last week that is over, Monday to Sunday of the zone, and the one before it. */
  readonly week: Period;
  readonly before: Period;
  /** When its digest goes out, epoch ms. */
  readonly sentAt: number;
  /** Its Monday, for instance `2026-03-09`. */
  readonly monday: string;
}

export function digestWeek(now: number, timeZone: string): DigestWeek {
  const weekAt = (at: number): Period => windowAt('week', at, [{ zone: timeZone, since: 0 }]);
  const present = weekAt(now);
  const week = weekAt(present.start - 1);
  return {
    week,
    before: weekAt(week.start - 1),
    sentAt: localHour(present.start, timeZone),
    monday: new Date(week.start + offsetAt(week.start, timeZone)).toISOString().slice(0, 10),
  };
}

/** Clocks may change between midnight and then. */
function localHour(midnight: number, timeZone: string): number {
  const local = midnight + offsetAt(midnight, timeZone);
  const early = Math.floor(local / DAY_MS) * DAY_MS + SENT_AT_HOUR * HOUR_MS;
  return early - offsetAt(midnight + SENT_AT_HOUR * HOUR_MS, timeZone);
}
