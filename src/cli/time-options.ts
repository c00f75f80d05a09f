import { toIso } from '../domain/time/period.ts';
import { readWrittenTime } from '../domain/time/written-time.ts';
import { localDate } from '../sessions/reports/local-date.ts';
import type { CommandContext } from './cli.ts';
import type { CommandTerminal } from './terminal.ts';

type TimeSources = Pick<CommandContext, 'clock' | 'terminal'>;
type TimeDirection = 'past' | 'future';

/** Returns the time zone of the person at the terminal: that of TZ, else of the machine. */
export function userTimeZone({ env }: Pick<CommandTerminal, 'env'>): string {
  const machineZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone;
  try {
    return env['TZ']
      ? new Intl.DateTimeFormat('en', { timeZone: env['TZ'] }).resolvedOptions().timeZone
      : machineZone();
  } catch {
    // The C library also knows forms such as `CET-1CEST`; the runtime has then chosen a zone of its own.
    return machineZone();
  }
}

/** Reads the start of a period; absent = the default of the service. */
export function readPeriodStart(
  text: string | undefined,
  option: string,
  { clock, terminal }: TimeSources,
  timeZone = userTimeZone(terminal),
): string | undefined {
  return text === undefined ? undefined : readTimeOption(text, option, clock(), timeZone, 'start', 'past');
}

/** Reads the end of a period. A day belongs to the period. */
export function readPeriodEnd(
  text: string | undefined,
  option: string,
  { clock, terminal }: TimeSources,
  timeZone = userTimeZone(terminal),
): string | undefined {
  return text === undefined ? undefined : readTimeOption(text, option, clock(), timeZone, 'end', 'past');
}

/** Reads a time to come, such as an expiry. A day lasts until its end. */
export function readDeadline(text: string, option: string, { clock, terminal }: TimeSources): string {
  return readTimeOption(text, option, clock(), userTimeZone(terminal), 'end', 'future');
}

/** Reads a day, for a record that has days: `2026-01-31`. */
export function readDayOption(
  text: string | undefined,
  option: string,
  { clock, terminal }: TimeSources,
  direction: TimeDirection,
): string | undefined {
  if (text === undefined) return undefined;
  const timeZone = userTimeZone(terminal);
  return localDate(readWrittenTime(text, { now: clock(), timeZone, edge: 'start', direction }, option), timeZone);
}

function readTimeOption(
  text: string,
  option: string,
  now: number,
  timeZone: string,
  edge: 'start' | 'end',
  direction: TimeDirection,
): string {
  return toIso(readWrittenTime(text, { now, timeZone, edge, direction }, option));
}
