import {
  type DetectionContext,
  HOURS_NEEDED,
  makeDetectionContext,
  type DetectionSubject,
} from './detection-context.ts';
import { type Episode, keepEpisodes } from './episodes.ts';
import { judgeErrors } from './error-rate.ts';
import type { Finding, SeriesVerdict } from './finding.ts';
import { hourAt, hourStart, makeGrid, makeTrack } from './grid.ts';
import { judgeCost, judgeDrop, judgeVolume } from './level.ts';
import { judgeNewSeries } from './new-series.ts';
import { judgePrice } from './price-shift.ts';
import { rollUp } from './rollup.ts';
import { type DetectSettings, scopeKey, type SpendSeries } from './series.ts';
import { HOUR_MS } from '../time/units.ts';

export interface DetectInput {
  /** All series of one workspace, in any order; the whole workspace is one of them (or the only one). */
  readonly series: readonly SpendSeries[];
  /** The workspace's IANA time zone: what people call night and Sunday. */
  readonly timeZone: string;
  /** Epoch ms. The hour it lies in is not over: only what already holds is said of it. */
  readonly now: number;
  /**
   * The series have all hours from this instant on (epoch ms). Sums are compared with 28 days; with more, a key that was idle
   * for weeks is not taken for a new one.
   */
  readonly since: number;
  readonly settings: DetectSettings;
}

export interface DetectionResult {
  /** Start of the last hour that was judged: the one `now` lies in, or the one before where `now` is its very end. */
  readonly hour: number;
  /** One per incident, the strongest first. */
  readonly findings: readonly Finding[];
  /** One per series, in the order of the input. */
  readonly verdicts: readonly SeriesVerdict[];
}

type SeriesJudge = (context: DetectionContext, subject: DetectionSubject, hour: number) => Finding | null;

/** Judgments that are valid for an hour that has not ended: more usage can only confirm them. */
const WORSENING: readonly SeriesJudge[] = [judgeCost, judgeVolume, judgePrice, judgeNewSeries, judgeErrors];
const ALL: readonly SeriesJudge[] = [...WORSENING, judgeDrop];

/** Finds unusual usage at `now`, in the current hour and the last full one. */
export function detect(input: DetectInput): DetectionResult {
  const { series, now } = input;
  const context = contextUntil(input, now);
  const { grid } = context;
  const last = grid.hours - 1;
  const over = hourStart(grid, last + 1) <= now;
  const before = over ? [] : judgeHour(context, last - 1, ALL);
  const present = judgeHour(context, last, over ? ALL : WORSENING);
  const found = [...present, ...before.filter((old) => !present.some((newer) => isSameIncident(old, newer)))];
  const findings = rollUp(context, found);
  const touched = new Set(found.map(({ scope }) => scopeKey(scope)));
  const verdicts = series.map((one) => judgeVerdict(one, touched.has(scopeKey(one.scope)), input));
  return { hour: hourStart(grid, last), findings, verdicts };
}

/**
 * Replays detection hour by hour from `from` to `to` (epoch ms), each with the data known at that time. Ignores
 * `input.now`. A series costs about 0.2 ms per day.
 */
export function backtest(input: DetectInput, from: number, to: number): readonly Episode[] {
  const context = contextUntil(input, to);
  const { grid } = context;
  const all = new Map<string, Episode>();
  let known: readonly Episode[] = [];
  for (let hour = Math.max(0, hourAt(grid, from)); hour < grid.hours; hour += 1) {
    const now = hourStart(grid, hour + 1);
    const step = keepEpisodes(known, rollUp(context, judgeHour(context, hour, ALL)), now);
    known = step.episodes;
    for (const episode of known) all.set(episode.key, episode);
  }
  return [...all.values()];
}

function contextUntil({ series, timeZone, since, settings }: DetectInput, until: number): DetectionContext {
  const grid = makeGrid(since, until, timeZone);
  return makeDetectionContext(
    grid,
    series.map((one) => makeTrack(grid, one)),
    settings,
  );
}

function judgeHour(context: DetectionContext, hour: number, judges: readonly SeriesJudge[]): readonly Finding[] {
  if (hour < 0) return [];
  const found: Finding[] = [];
  for (const subject of context.subjects) {
    if (subject.track.first > hour) continue;
    for (const judge of judges) {
      const finding = judge(context, subject, hour);
      if (finding) found.push(finding);
    }
  }
  return found;
}

function isSameIncident(a: Finding, b: Finding): boolean {
  return a.type === b.type && scopeKey(a.scope) === scopeKey(b.scope);
}

function judgeVerdict({ scope, name, hours }: SpendSeries, found: boolean, { since, now }: DetectInput): SeriesVerdict {
  const first = Math.max(since, hours[0]?.hour ?? now);
  const seen = Math.max(0, Math.floor((now - first) / HOUR_MS));
  const calm = seen < HOURS_NEEDED ? 'not_enough_history' : 'calm';
  return { scope, name, verdict: found ? 'finding' : calm, hours: seen, hoursNeeded: HOURS_NEEDED };
}
