import { DAY_MS, HOUR_MS } from '../domain/time/units.ts';
import type { Period } from '../domain/time/period.ts';

/** A part of a range and its source: entries, or roll-up rows of whole UTC hours or days. */
export interface RangeSegment extends Period {
  readonly from: 'detail' | 'hour' | 'day';
}

/**
 * Splits a range so that whole UTC days and hours come from roll-ups and only partial hours at its edges from
 * entries. Before `detailBegins` (a whole hour) entries were pruned: there an hour counts at its start, so that
 * adjacent ranges count each call exactly once.
 */
export function splitRange(range: Period, detailBegins: number): RangeSegment[] {
  const start = range.start < detailBegins ? ceil(range.start, HOUR_MS) : range.start;
  const end = range.end < detailBegins ? ceil(range.end, HOUR_MS) : range.end;
  const hours = { start: ceil(start, HOUR_MS), end: floor(end, HOUR_MS) };
  if (hours.start >= hours.end) return dropEmpty([{ from: 'detail', start, end }]);
  return dropEmpty([
    { from: 'detail', start, end: hours.start },
    ...splitHours(hours),
    { from: 'detail', start: hours.end, end },
  ]);
}

function splitHours({ start, end }: Period): RangeSegment[] {
  const days = { start: ceil(start, DAY_MS), end: floor(end, DAY_MS) };
  if (days.start >= days.end) return [{ from: 'hour', start, end }];
  return [
    { from: 'hour', start, end: days.start },
    { from: 'day', ...days },
    { from: 'hour', start: days.end, end },
  ];
}

export function floor(instant: number, unit: number): number {
  return Math.floor(instant / unit) * unit;
}

export function ceil(instant: number, unit: number): number {
  return Math.ceil(instant / unit) * unit;
}

function dropEmpty(segments: RangeSegment[]): RangeSegment[] {
  return segments.filter(({ start, end }) => start < end);
}
