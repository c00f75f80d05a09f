import { type Baseline, HISTORY_DAYS, makeBaseline } from './baseline.ts';
import { dayStart, type Grid, sumBetween, type Track } from './grid.ts';
import { median } from './robust.ts';
import type { DetectSettings } from './series.ts';
import { type Strictness, STRICTNESS } from './strictness.ts';

/** A series younger than this is not judged. */
export const HOURS_NEEDED = 72;
/** A series that began later than this in its day has its first whole day tomorrow. */
const MORNING_HOURS = 6;
const COST_FLOOR_PART = 0.2;
const CALLS_FLOOR = 5;

/** One series, and what was worked out for the day that is judged. */
export interface Subject {
  readonly track: Track;
  /** Its first whole local day. */
  readonly fromDay: number;
  /** By name; worked out anew when the day changes. */
  readonly memo: Map<string, { readonly day: number; readonly value: unknown }>;
}

/** What all judgements of one workspace share. */
export interface Bench {
  readonly grid: Grid;
  readonly settings: DetectSettings;
  readonly strict: Strictness;
  readonly subjects: readonly Subject[];
  /** The whole workspace; null = it is not among the series. */
  readonly whole: Subject | null;
}

export function makeBench(grid: Grid, tracks: readonly Track[], settings: DetectSettings): Bench {
  const subjects = tracks.map((track): Subject => {
    const late = (grid.hourOfDay[track.first] ?? 0) > MORNING_HOURS ? 1 : 0;
    return { track, fromDay: (grid.day[track.first] ?? grid.dayStarts.length) + late, memo: new Map() };
  });
  const whole = subjects.find(({ track }) => track.scope.kind === 'workspace') ?? null;
  return { grid, settings, strict: STRICTNESS[settings.sensitivity], subjects, whole };
}

/** What a function of the day came to, worked out once a day. */
export function daily<T>(subject: Subject, name: string, day: number, make: () => T): T {
  const known = subject.memo.get(name);
  // The name belongs to one caller, so that the type is the one that this caller put there.
  if (known?.day === day) return known.value as T;
  const value = make();
  subject.memo.set(name, { day, value });
  return value;
}
