/** A labelled stretch: numbers of its first and its last row. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

/** Rows that an alert named, of a file with so many rows. */
export interface DetectedEvent {
  readonly rows: number;
  readonly windows: readonly Window[];
  readonly alerts: readonly number[];
}

/** What an alert outside of windows costs, and what a missed window costs; a found one is worth up to 1. */
export interface CostProfile {
  readonly falseAlert: number;
  readonly missed: number;
}

/** The benchmark's standard profile. */
export const STANDARD: CostProfile = { falseAlert: 0.11, missed: 1 };

const PROBATION_PART = 0.15;
const PROBATION_ROWS_MAX = 5_000;
const FAR_BEHIND = 3;

/** Rows at a file's start whose alerts and windows do not count. */
export function probationOf(rows: number): number {
  return Math.min(Math.floor(PROBATION_PART * rows), PROBATION_PART * PROBATION_ROWS_MAX);
}

/** The score of one file: the earliest alert of each window, what is missed, and what is false. */
export function scoreFile({ rows, windows, alerts }: DetectedEvent, profile: CostProfile): number {
  const probation = probationOf(rows);
  const counted = alerts.filter((row) => row >= probation);
  let score = 0;
  for (const { first, last } of windows) {
    if (last < probation) continue;
    const inside = counted.filter((row) => row >= first && row <= last);
    score +=
      inside.length > 0 ? worth((Math.min(...inside) - last - 1) / (last - first + 1)) / worth(-1) : -profile.missed;
  }
  for (const row of counted)
    if (!windows.some(({ first, last }) => row >= first && row <= last))
      score += profile.falseAlert * costOf(row, windows);
  return score;
}

/** 100 where every window is told at its first row and nothing else is, 0 where nothing is told at all. */
export function normalScore(score: number, windows: number, { missed }: CostProfile): number {
  return (100 * (score + missed * windows)) / ((1 + missed) * windows);
}

/** -1 far from the window before, less close behind it. */
function costOf(row: number, windows: readonly Window[]): number {
  const before = windows.findLast(({ last }) => last < row);
  if (!before) return -1;
  const place = (row - before.last) / (before.last - before.first);
  return place > FAR_BEHIND ? -1 : worth(place);
}

/** 1 at a window's left edge (-1), 0 at its right edge (0), -1 well behind it. */
function worth(place: number): number {
  return 2 / (1 + Math.exp(5 * place)) - 1;
}
