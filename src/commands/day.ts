/** The last UTC day before an ISO time, which is not part of what it ends. */
export function lastDay(end: string): string {
  return day(new Date(Date.parse(end) - 1).toISOString());
}

/** The UTC day of an ISO time. */
export function day(time: string): string {
  return time.slice(0, 10);
}
