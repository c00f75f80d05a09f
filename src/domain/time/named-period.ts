import { offsetAt, type Period, startOfDay } from './period.ts';
import { DAY_MS } from './units.ts';

/** Periods as people name them. Days are those of the workspace's time zone. */
export const NAMED_PERIODS = ['last_24h', 'today', 'yesterday', 'last_7d', 'last_30d'] as const;
export type NamedPeriod = (typeof NAMED_PERIODS)[number];

const ROLLING_DAYS: Partial<Record<NamedPeriod, number>> = { last_24h: 1, last_7d: 7, last_30d: 30 };

/** Today ends now; yesterday is the whole day, however many hours it had. */
export function namedPeriod(name: NamedPeriod, now: number, timeZone: string): Period {
  const days = ROLLING_DAYS[name];
  if (days !== undefined) return { start: now - days * DAY_MS, end: now };
  const local = now + offsetAt(now, timeZone);
  const today = Math.floor(local / DAY_MS) * DAY_MS;
  const midnight = startOfDay(today, timeZone);
  return name === 'today'
    ? { start: midnight, end: now }
    : { start: startOfDay(today - DAY_MS, timeZone), end: midnight };
}

/** When the local month began. */
export function monthStart(now: number, timeZone: string): number {
  const local = new Date(now + offsetAt(now, timeZone));
  return startOfDay(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), 1), timeZone);
}
