import type { LimitWindow, ZoneChange } from '../limits/limit.ts';
import { nextLocalDay, offsetAt, type Period, startOfDay } from './period.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from './units.ts';

type CalendarWindow = Exclude<LimitWindow, 'minute' | 'hour' | 'total'>;

/** Windows that are remembered, of all kinds and zones together. */
const REMEMBERED_MAX = 1_000;

/** `total` never ends. */
const WHOLE_TIME: Period = { start: 0, end: Number.POSITIVE_INFINITY };

/**
 * The window that an instant lies in. Minutes and hours are instants of UTC; days, weeks (from Monday) and months are
 * those of the time zone. A new zone applies from the next window: the one in which the zone changes ends as it began.
 *
 * @param zones oldest first, at least one; the first holds since ever
 */
export function windowAt(window: LimitWindow, at: number, zones: readonly ZoneChange[]): Period {
  switch (window) {
    case 'minute':
      return fixedWindow(at, MINUTE_MS);
    case 'hour':
      return fixedWindow(at, HOUR_MS);
    case 'total':
      return WHOLE_TIME;
    default:
      return rememberedWindow(window, at, zones);
  }
}

const lastWindows = new Map<string, Period>();

/** A hundred thousand limits share a few windows, and to find one in a time zone takes a calendar. */
function rememberedWindow(window: CalendarWindow, at: number, zones: readonly ZoneChange[]): Period {
  let key: string = window;
  for (const { zone, since } of zones) key += ` ${since} ${zone}`;
  const last = lastWindows.get(key);
  if (last && last.start <= at && at < last.end) return last;
  if (lastWindows.size >= REMEMBERED_MAX) lastWindows.clear();
  const period = windowInZones(window, at, zones);
  lastWindows.set(key, period);
  return period;
}

/**
 * Appends a zone change if the zone differs. Changes in the future were made while the clock was ahead and are dropped.
 */
export function changeZone(zones: readonly ZoneChange[], change: ZoneChange): ZoneChange[] {
  const past = zones.filter(({ since }, index) => index === 0 || since < change.since);
  return past.at(-1)?.zone === change.zone ? past : [...past, change];
}

function fixedWindow(at: number, length: number): Period {
  const start = Math.floor(at / length) * length;
  return { start, end: start + length };
}

function windowInZones(window: CalendarWindow, at: number, zones: readonly ZoneChange[]): Period {
  let ruling = 0;
  let since = Number.NEGATIVE_INFINITY;
  for (;;) {
    const next = zones[ruling + 1];
    if (!next || next.since > at) break;
    const { end } = calendarWindow(window, next.since, zoneName(zones[ruling]));
    if (at < end) break;
    since = end;
    ruling = zones.findLastIndex((change) => change.since < end);
  }
  const { start, end } = calendarWindow(window, at, zoneName(zones[ruling]));
  return { start: Math.max(start, since), end };
}

function zoneName(change: ZoneChange | undefined): string {
  return change?.zone ?? 'UTC';
}

function calendarWindow(window: CalendarWindow, at: number, zone: string): Period {
  let day = firstDay(window, Math.floor((at + offsetAt(at, zone)) / DAY_MS) * DAY_MS);
  // Where clocks go back over midnight, the local day of an instant can be the one before.
  if (at >= startOfDay(nextLocalDay(day, window), zone)) day = nextLocalDay(day, window);
  return { start: startOfDay(day, zone), end: startOfDay(nextLocalDay(day, window), zone) };
}

/** First local day of the window that a local day lies in. */
function firstDay(window: CalendarWindow, day: number): number {
  const date = new Date(day);
  if (window === 'month') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1);
  return window === 'week' ? day - ((date.getUTCDay() + 6) % 7) * DAY_MS : day;
}
