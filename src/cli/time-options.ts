import { userTimeZone } from './terminal.ts';
import { toIso } from '../domain/time/period.ts';
import { readWrittenTime } from '../domain/time/written-time.ts';
import { localDate } from '../sessions/reports/local-date.ts';
import type { CommandContext } from './cli.ts';

type TimeSources = Pick<CommandContext, 'clock' | 'terminal'>;

/** Reads the start of a period; absent = the default of the service. */
export function readPeriodStart<Text extends string | undefined>(
  text: Text,
  option: string,
  sources: TimeSources,
  timeZone?: string,
): string | (Text & undefined) {
  return text === undefined ? text : readPeriodEdge(text, option, sources, 'start', timeZone);
}

/** Reads the end of a period. A day belongs to the period. */
export function readPeriodEnd<Text extends string | undefined>(
  text: Text,
  option: string,
  sources: TimeSources,
  timeZone?: string,
): string | (Text & undefined) {
  return text === undefined ? text : readPeriodEdge(text, option, sources, 'end', timeZone);
}

function readPeriodEdge(
  text: string,
  option: string,
  { clock, terminal }: TimeSources,
  edge: 'start' | 'end',
  timeZone = userTimeZone(terminal),
): string {
  return toIso(readWrittenTime(text, { now: clock(), timeZone, edge, direction: 'past' }, option));
}

/** Reads a time to come, such as an expiry. A day lasts until its end. */
export function readDeadline(text: string, option: string, { clock, terminal }: TimeSources): string {
  const timeZone = userTimeZone(terminal);
  return toIso(readWrittenTime(text, { now: clock(), timeZone, edge: 'end', direction: 'future' }, option));
}

/** Reads a day, for a record that has days: `2026-01-31`. */
export function readDayOption(
  text: string | undefined,
  option: string,
  { clock, terminal }: TimeSources,
  direction: 'past' | 'future',
): string | undefined {
  if (text === undefined) return undefined;
  const timeZone = userTimeZone(terminal);
  return localDate(readWrittenTime(text, { now: clock(), timeZone, edge: 'start', direction }, option), timeZone);
}
