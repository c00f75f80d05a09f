/** Returns the last UTC day of a period whose exclusive end is an ISO time. */
export function lastDay(end: string): string {
  return day(new Date(Date.parse(end) - 1).toISOString());
}

/** Returns the UTC day of an ISO time, `2026-01-31`. */
export function day(time: string): string {
  return time.slice(0, 10);
}
