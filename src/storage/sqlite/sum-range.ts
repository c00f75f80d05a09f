import { ceil, floor, splitRange } from '../segments.ts';
import type { RangeSegment } from '../segments.ts';
import type { TimeRange } from '../store.ts';
import { readDetailBegins } from './detail.ts';
import { chooseRollup } from './question.ts';
import type { SumQuery } from './question.ts';
import type { EntryReader, QuerySteps } from './reading.ts';
import { sumSegment } from './sum.ts';
import type { SumGroup } from './sum.ts';
import { DAY_MS, HOUR_MS } from '../../domain/time/units.ts';

/** Takes the sums of a range in pieces: a combination of values may come several times. */
export function* sumRange(
  reading: EntryReader,
  workspaceId: string,
  question: SumQuery,
  range: TimeRange,
  take: (group: SumGroup) => void,
): QuerySteps<void> {
  const workspace = reading.names.find(workspaceId);
  if (workspace === undefined) return;
  const shape = chooseRollup(question);
  const segments = shape ? split(reading, workspace, range) : [{ from: 'detail' as const, ...range }];
  for (const segment of segments) {
    const read = (part: TimeRange): void =>
      sumSegment(reading, workspace, question, shape, { ...segment, ...part }).forEach(take);
    if (segment.from === 'detail') yield* reading.inSlices(workspace, segment, read);
    else read(segment);
  }
}

/**
 * A bound is moved outwards to a whole day or hour where no entry lies between: a report up to now then reads the roll-up
 * of the hour that has just begun, and not the thousands of entries in it.
 */
function split({ connection }: EntryReader, workspace: number, range: TimeRange): RangeSegment[] {
  const begins = readDetailBegins(connection, workspace);
  const isEmpty = (start: number, end: number): boolean =>
    start >= begins && connection.statement(ANY).get({ workspace, start, end }) === undefined;
  const { start, end } = range;
  const from = UNITS.map((unit) => floor(start, unit)).find((whole) => isEmpty(whole, start));
  const to = UNITS.map((unit) => ceil(end, unit)).find((whole) => isEmpty(end, whole));
  return splitRange({ start: from ?? start, end: to ?? end }, begins);
}

const UNITS = [DAY_MS, HOUR_MS];
const ANY = `SELECT 1 FROM entries WHERE workspace = :workspace AND began_at >= :start AND began_at < :end LIMIT 1`;
