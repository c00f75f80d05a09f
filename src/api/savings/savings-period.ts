import { TollbookError } from '../../domain/errors.ts';
import { iso, type Period, readPeriod, startOfDay } from '../../domain/time/period.ts';
import { windowAt } from '../../domain/time/window.ts';
import type { SavingsPeriod } from '../../contract/sync.ts';

const WINDOWS = { daily: 'day', weekly: 'week', monthly: 'month' } as const;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface AskedPeriod {
  readonly kind: SavingsPeriod;
  readonly whole: Period;
  /** The part of it that is behind us. */
  readonly past: Period;
  readonly timeZone: string;
}

/** The day, week or month of the time zone that holds the date; a bare date is a day of that zone. */
export function savingsPeriod(
  kind: SavingsPeriod,
  date: string | undefined,
  timeZone: string,
  now: number,
): AskedPeriod {
  const whole = windowAt(WINDOWS[kind], readAnchor(date, timeZone, now), [{ zone: timeZone, since: 0 }]);
  const end = Math.min(whole.end, Math.max(whole.start, now));
  return { kind, whole, past: { start: whole.start, end }, timeZone };
}

function readAnchor(date: string | undefined, timeZone: string, now: number): number {
  if (date === undefined) return now;
  try {
    const { start } = readPeriod(date, '9999-12-31', now);
    return DAY.test(date) ? startOfDay(start, timeZone) : start;
  } catch {
    throw new TollbookError('invalid', 'date is not a date Tollbook can read. Write 2026-01-31.', 'date');
  }
}

export function savingsPeriodView({ kind, whole, past, timeZone }: AskedPeriod) {
  return {
    period: kind,
    start: iso(whole.start),
    end: iso(whole.end),
    timeZone,
    inProgress: past.end < whole.end,
  };
}
