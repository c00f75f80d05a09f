import { InvalidArgumentError } from 'commander';

/** Returns the last UTC day of a period whose exclusive end is an ISO time. */
export function lastDay(end: string): string {
  return day(new Date(Date.parse(end) - 1).toISOString());
}

/** Returns the UTC day of an ISO time, `2026-01-31`. */
export function day(time: string): string {
  return time.slice(0, 10);
}

/** Reads the day of an option, `2026-01-31`. */
export function dayOption(text: string): string {
  const time = new Date(`${text}T00:00:00Z`);
  if (!Number.isNaN(time.getTime()) && day(time.toISOString()) === text) return text;
  throw new InvalidArgumentError('Not a valid date; for example: 2026-01-31.');
}
