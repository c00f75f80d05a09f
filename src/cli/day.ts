import { InvalidArgumentError } from 'commander';

/** The last UTC day before an ISO time, which is not part of what it ends. */
export function lastDay(end: string): string {
  return day(new Date(Date.parse(end) - 1).toISOString());
}

/** The UTC day of an ISO time. */
export function day(time: string): string {
  return time.slice(0, 10);
}

/** The day that an option names, `2026-01-31`. */
export function dayOption(text: string): string {
  const time = new Date(`${text}T00:00:00Z`);
  if (!Number.isNaN(time.getTime()) && day(time.toISOString()) === text) return text;
  throw new InvalidArgumentError('Not a valid date; for example: 2026-01-31.');
}
