import { HISTORY_DAYS } from './past-sums.ts';
import { dayTotals, type HourGrid, type SeriesTrack } from './grid.ts';
import { median } from './statistics.ts';
import type { DetectSettings } from './series.ts';
import { type DetectionStrictness, STRICTNESS } from './strictness.ts';

/** A series younger than this is not judged. */
export const HOURS_NEEDED = 48;
/** A series that began later than this in its day has its first whole day tomorrow. */
const MORNING_HOURS = 6;
/** A part of the workspace is never taken for smaller than this. */
const SMALL_PART = 0.05;

/** One series that is judged. */
export interface DetectionSubject {
  readonly track: SeriesTrack;
  /** Its first whole local day. */
  readonly fromDay: number;
}

/** Data that all judgments of one workspace share. */
export interface DetectionContext {
  readonly grid: HourGrid;
  readonly settings: DetectSettings;
  readonly strict: DetectionStrictness;
  readonly subjects: readonly DetectionSubject[];
  /** The whole workspace; null = it is not among the series. */
  readonly whole: DetectionSubject | null;
}

export function makeDetectionContext(
  grid: HourGrid,
  tracks: readonly SeriesTrack[],
  settings: DetectSettings,
): DetectionContext {
  const subjects = tracks.map((track): DetectionSubject => {
    const late = (grid.hourOfDay[track.first] ?? 0) > MORNING_HOURS ? 1 : 0;
    return { track, fromDay: (grid.day[track.first] ?? grid.dayStarts.length) + late };
  });
  const whole = subjects.find(({ track }) => track.scope.kind === 'workspace') ?? null;
  return { grid, settings, strict: STRICTNESS[settings.sensitivity], subjects, whole };
}

/** A function of the day that is worked out once a day for each series. */
export function oncePerDay<T>(make: (context: DetectionContext, subject: DetectionSubject, day: number) => T) {
  const known = new WeakMap<DetectionSubject, { readonly day: number; readonly value: T }>();
  return (context: DetectionContext, subject: DetectionSubject, day: number): T => {
    const last = known.get(subject);
    if (last?.day === day) return last.value;
    const value = make(context, subject, day);
    known.set(subject, { day, value });
    return value;
  };
}

/** The whole days of history before a day. */
export function historyFrom({ fromDay }: DetectionSubject, day: number): number {
  return Math.max(fromDay, day - HISTORY_DAYS);
}

/**
 * Nano-USD: what a finding must be about at least, by the settings, by the size of the workspace and by that of the series:
 * between the two, so that a small key of a large workspace is heard before it is large.
 */
export function relevance(context: DetectionContext, subject: DetectionSubject, day: number): number {
  const { whole, settings, strict } = context;
  if (!whole) return settings.minExcessNano;
  const all = usualDay(context, whole, day);
  const own = Math.max(SMALL_PART * all, Math.min(all, usualDay(context, subject, day)));
  return Math.max(settings.minExcessNano, strict.dayPart * Math.sqrt(all * own));
}

/** Nano-USD that a series usually has in a day. */
export const usualDay = oncePerDay(({ grid }, subject, day) =>
  median(dayTotals(subject.track.cost.sums, grid, historyFrom(subject, day), day)),
);
