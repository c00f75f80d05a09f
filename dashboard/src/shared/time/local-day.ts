const DAY_MS = 86_400_000;

/** Milliseconds to add to UTC for the local time of a zone at an instant. */
function offsetAt(instant: number, zone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(instant);
  const read = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  const local = Date.UTC(read('year'), read('month') - 1, read('day'), read('hour'), read('minute'), read('second'));
  return local - Math.floor(instant / 1_000) * 1_000;
}

/** The calendar day of an instant in a zone, as `2026-01-31`. */
export function localDay(instant: number, zone: string): string {
  return new Date(instant + offsetAt(instant, zone)).toISOString().slice(0, 10);
}

/** Epoch milliseconds at which a calendar day begins in a zone; where clocks skip midnight, when they have jumped. */
export function dayStart(day: string, zone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`);
  // Clocks may change around it: with either offset, the first instant that is in the day.
  const starts = [utc - DAY_MS, utc + DAY_MS].map((near) => utc - offsetAt(near, zone));
  return Math.min(...starts.filter((start) => localDay(start, zone) === day));
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10);
}

/** The first day of the month of a day. */
export function startOfMonth(day: string): string {
  return `${day.slice(0, 7)}-01`;
}

export function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

/** The instant at which a calendar day (`2026-01-31`) is over in a zone, ISO 8601. */
export function endOfDay(day: string, zone: string): string {
  return new Date(dayStart(addDays(day, 1), zone)).toISOString();
}

/** The last calendar day before an instant: of an expiry, the last day that it works. */
export function lastDayBefore(instant: string, zone: string): string {
  return localDay(Date.parse(instant) - 1, zone);
}
