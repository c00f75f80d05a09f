import { TollbookError } from '../../domain/errors.ts';
import { readWrittenTime } from '../../domain/time/written-time.ts';

/** Half-open time range in epoch ms; null = open. */
export interface TimeRange {
  readonly since: number | null;
  readonly until: number | null;
}

export const ALL_TIME: TimeRange = { since: null, until: null };

/**
 * Parses a range between two times as people write them. A day at the end belongs to the range.
 * @throws TollbookError `invalid`, naming the option.
 */
export function readRange(
  since: string | undefined,
  until: string | undefined,
  { now, timeZone }: { readonly now: number; readonly timeZone: string },
): TimeRange {
  const read = (text: string | undefined, edge: 'start' | 'end', option: string): number | null =>
    text === undefined ? null : readWrittenTime(text, { now, timeZone, edge, direction: 'past' }, option);
  const range = { since: read(since, 'start', '--since'), until: read(until, 'end', '--until') };
  if (range.since !== null && range.until !== null && range.since >= range.until)
    throw new TollbookError('invalid', '--since is after --until. Swap them or correct one.', '--since');
  return range;
}
