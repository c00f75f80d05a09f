import { formatSpan, formatWeekdayTime } from '../text/dates.ts';
import {
  type DetectionContext,
  type DetectionSubject,
  historyFrom,
  HOURS_NEEDED,
  oncePerDay,
  relevance,
} from './detection-context.ts';
import type { Finding, FindingUnit } from './finding.ts';
import { DAY_HOURS, dayStart, type HourlyMeasure, hourStart, sumBetween } from './grid.ts';
import {
  findSumRange,
  isCommon,
  listPastSums,
  pastSums,
  sameHours,
  type SumCenter,
  sumCenter,
  type SumRange,
  usualSum,
} from './past-sums.ts';
import { findingAmount, formatFactor, hoursText } from './words.ts';
import { mean, median } from './statistics.ts';

const DAYS_LEAST = 5;
/** Hours lie at most this part as far from the median of their hour of the day as from that of all hours. */
const LEFT_MOST = 0.75;

type DailyRhythm = (context: DetectionContext, subject: DetectionSubject, day: number) => boolean;

/** Tests whether usage depends on the hour of the day. If not, no hour is unusual for its hour. */
const costRhythm: DailyRhythm = oncePerDay((context, subject, day) =>
  followsHours(context, subject, subject.track.cost, day),
);
const callsRhythm: DailyRhythm = oncePerDay((context, subject, day) => {
  const { calls } = subject.track;
  return calls !== null && followsHours(context, subject, calls, day);
});

function followsHours(
  { grid }: DetectionContext,
  subject: DetectionSubject,
  { values }: HourlyMeasure,
  day: number,
): boolean {
  const [start, end] = [Math.max(subject.track.first, dayStart(grid, historyFrom(subject, day))), dayStart(grid, day)];
  if (end - start < DAYS_LEAST * DAY_HOURS) return false;
  const hours = values.subarray(start, end);
  const byHour = Array.from({ length: DAY_HOURS }, (_, hour) =>
    median(hours.filter((__, i) => i % DAY_HOURS === hour)),
  );
  const middle = median(hours);
  const all = mean(hours.map((value) => Math.abs(value - middle)));
  const left = mean(hours.map((value, i) => Math.abs(value - (byHour[i % DAY_HOURS] ?? 0))));
  return left < LEFT_MOST * all;
}

/** Lengths of the sums that are judged, in hours. */
const WINDOWS = [1, 6] as const;
/** With fewer sums at the same hour, the others decide alone; with fewer still of a week, none is unusual for its hour. */
const SAME_LEAST = 5;
const HOUR_OF_DAY_LEAST = 21;
/** With at least this much history, a single incident only counts again this many times as far from normal. */
const ONCE_LEAST = 42;
const ONCE_SCORES = 3;
/** Sums above the previous maximum by less than this part of it are not reported. */
const EDGE_PART = 0.02;
/** Less than this part of the lowest of weeks is a stop, however much hours differ. */
const STOP_PART = 0.1;
const WEEK_DAYS = 7;
const CRITICAL_STRENGTH = 3;
const CRITICAL_RELEVANCE = 5;
const CALLS_DAY_PART = 0.1;
/** Parts of the workspace must be this much farther from normal than the whole, because there are many parts. */
const PART_STRENGTH = 1.4;
/** Strengths are no larger, however small the usual is. */
const STRENGTH_MAX = 100;

/** A sum of hours that ends with the judged one. */
interface JudgedSum {
  readonly start: number;
  readonly end: number;
  readonly observed: number;
  readonly expected: number;
  readonly threshold: number;
  readonly strength: number;
  readonly comparable: number;
}

/** 1 = more than normal, -1 = less. */
type JudgeDirection = 1 | -1;

interface LevelQuestion {
  readonly context: DetectionContext;
  readonly subject: DetectionSubject;
  readonly measure: HourlyMeasure;
  readonly hour: number;
  readonly direction: JudgeDirection;
  readonly rhythm: (context: DetectionContext, subject: DetectionSubject, day: number) => boolean;
}

/** Spend of 1 or 6 hours far above the usual; the window that says so most clearly. */
export function judgeCost(context: DetectionContext, subject: DetectionSubject, hour: number): Finding | null {
  const day = context.grid.day[hour] ?? 0;
  const sum = strongestSum({
    context,
    subject,
    measure: subject.track.cost,
    hour,
    direction: 1,
    rhythm: costRhythm,
  });
  if (!sum) return null;
  const excess = sum.observed - sum.expected;
  const least = relevance(context, subject, day);
  const large = excess >= least && sum.observed >= context.strict.factor * sum.expected;
  if (excess < context.settings.minExcessNano || (!large && subject !== context.whole)) return null;
  const critical = large && sum.strength >= CRITICAL_STRENGTH && excess >= CRITICAL_RELEVANCE * least;
  return {
    ...describeSum(context, subject, hour, sum),
    type: 'COST_SPIKE',
    kind: 'cost',
    severity: critical ? 'critical' : large ? 'warning' : 'info',
    unit: 'usd',
    excessNano: Math.round(excess),
    text: levelSentence(context, subject, sum, 'usd'),
  };
}

/** Spend of 1 or 6 hours far below the usual, of the workspace or a key. Only hours that are over count. */
export function judgeDrop(context: DetectionContext, subject: DetectionSubject, hour: number): Finding | null {
  const { kind } = subject.track.scope;
  if (kind !== 'workspace' && kind !== 'key') return null;
  const sum = strongestSum({
    context,
    subject,
    measure: subject.track.cost,
    hour,
    direction: -1,
    rhythm: costRhythm,
  });
  const least =
    subject === context.whole
      ? context.settings.minExcessNano
      : relevance(context, subject, context.grid.day[hour] ?? 0);
  if (!sum || sum.expected - sum.observed < least) return null;
  return {
    ...describeSum(context, subject, hour, sum),
    type: 'UNUSUAL_ACTIVITY',
    kind: 'drop',
    severity: 'info',
    unit: 'usd',
    excessNano: 0,
    text: levelSentence(context, subject, sum, 'usd'),
  };
}

/** Calls of 1 or 6 hours far above the usual. */
export function judgeVolume(context: DetectionContext, subject: DetectionSubject, hour: number): Finding | null {
  const { calls } = subject.track;
  if (!calls) return null;
  const { callFactor, callsLeast } = context.strict;
  const least = Math.max(callsLeast, CALLS_DAY_PART * usualCalls(context.whole?.track.calls ?? calls, hour));
  const sum = strongestSum({ context, subject, measure: calls, hour, direction: 1, rhythm: callsRhythm });
  if (!sum || sum.observed - sum.expected < least || sum.observed < callFactor * sum.expected) return null;
  // Where money is at stake, money decides.
  if (excessCost(subject, sum) >= relevance(context, subject, context.grid.day[hour] ?? 0)) return null;
  return {
    ...describeSum(context, subject, hour, sum),
    type: 'UNUSUAL_ACTIVITY',
    kind: 'volume',
    severity: 'warning',
    unit: 'calls',
    excessNano: 0,
    text: levelSentence(context, subject, sum, 'calls'),
  };
}

/** Calls of a day, over the week before. */
function usualCalls({ sums }: HourlyMeasure, hour: number): number {
  return sumBetween(sums, hour - WEEK_DAYS * DAY_HOURS, hour) / WEEK_DAYS;
}

/** Nano-USD above the usual in the hours of a sum. */
function excessCost({ track }: DetectionSubject, { start, end }: JudgedSum): number {
  return sumBetween(track.cost.sums, start, end) - usualSum(track.cost, track.first, start, end);
}

function strongestSum(question: LevelQuestion): JudgedSum | null {
  let best: JudgedSum | null = null;
  for (const window of WINDOWS) {
    const sum = judgeSum(question, window);
    if (sum && sum.strength > (best?.strength ?? 0)) best = sum;
  }
  const { subject, context, direction } = question;
  const least = subject === context.whole || direction < 0 ? 1 : PART_STRENGTH;
  return best && best.strength >= least ? best : null;
}

/** Compares one sum with its past. Returns null without enough history. Most hours are decided by the first check. */
function judgeSum(question: LevelQuestion, window: number): JudgedSum | null {
  const { subject, measure, hour, direction } = question;
  const { first } = subject.track;
  if (hour - first < HOURS_NEEDED) return null;
  const [start, end] = [hour + 1 - window, hour + 1];
  const observed = sumBetween(measure.sums, start, end);
  const past = pastSums(measure, first, hour, window);
  const same = sameHours(measure, first, hour, window);
  if (isCommon(past, observed, direction, true) && isCommon(same, observed, direction, false)) return null;
  const [range, sameRange] = [mirrorRange(findSumRange(past), direction), mirrorRange(findSumRange(same), direction)];
  const sums = listPastSums(same);
  const all = sumCenter(listPastSums(past));
  const own = sums.length >= SAME_LEAST ? sumCenter(sums) : all;
  const limit = sumThreshold(question, { range, sameRange, all, own, count: sums.length });
  const [far, least] = [direction * (observed - own.median), direction * (direction * limit - own.median)];
  if (far <= least) return null;
  const strength = least > 0 ? Math.min(STRENGTH_MAX, far / least) : STRENGTH_MAX;
  return {
    start,
    end,
    observed,
    expected: own.median,
    threshold: direction * limit,
    strength,
    comparable: sums.length,
  };
}

/** Turns a range around, so that less than normal is judged like more. */
function mirrorRange(range: SumRange, direction: JudgeDirection): SumRange {
  if (direction > 0) return range;
  const { low, high, lowOfOthers, highOfOthers } = range;
  return { low: -high, high: -low, lowOfOthers: -highOfOthers, highOfOthers: -lowOfOthers };
}

interface ComparedSums {
  readonly range: SumRange;
  readonly sameRange: SumRange;
  readonly all: SumCenter;
  readonly own: SumCenter;
  /** Sums around the same hour of the day. */
  readonly count: number;
}

/**
 * Returns the threshold of a sum, times the direction. It is the lowest of four:
 * 1. beyond all previous sums, and far from the median of all hours and of this hour of the day
 * 2. beyond all previous sums except one incident, and farther
 * 3. close to nothing, where there was always something
 * 4. beyond all sums at this hour of the day, farther from its median, and by at least one spread of all hours
 */
function sumThreshold({ context, subject, hour, direction, rhythm }: LevelQuestion, compared: ComparedSums): number {
  const { range, sameRange, all, own, count } = compared;
  const { score, hourScore } = context.strict;
  const at = (center: SumCenter, spreads: number): number => direction * center.median + spreads * center.spread;
  const calm = (center: SumCenter): number => direction * center.median + ONCE_SCORES * score * center.calmSpread;
  const beyond = (edge: number): number => edge + EDGE_PART * Math.abs(edge);
  const unseen = Math.max(beyond(range.high), at(all, score), at(own, score));
  const seenOnce = Math.max(beyond(range.highOfOthers), calm(all), calm(own));
  const timely = count >= HOUR_OF_DAY_LEAST && rhythm(context, subject, context.grid.day[hour] ?? 0);
  const untimely = Math.max(beyond(sameRange.high), at(own, hourScore), direction * own.median + all.spread);
  const once = count >= ONCE_LEAST ? seenOnce : Infinity;
  const stop = direction < 0 && count >= ONCE_LEAST ? STOP_PART * range.high : Infinity;
  return Math.min(unseen, once, stop, timely ? untimely : Infinity);
}

type DescribedField = 'at' | 'scope' | 'name' | 'from' | 'to' | 'observed' | 'expected' | 'threshold' | 'factor';

function describeSum(
  { grid }: DetectionContext,
  { track }: DetectionSubject,
  hour: number,
  sum: JudgedSum,
): Pick<Finding, DescribedField | 'basis' | 'comparable' | 'strength' | 'movers' | 'also' | 'covers'> {
  return {
    at: hourStart(grid, hour),
    scope: track.scope,
    name: track.name,
    from: hourStart(grid, sum.start),
    to: hourStart(grid, sum.end),
    observed: Math.round(sum.observed),
    expected: Math.round(sum.expected),
    threshold: Math.round(sum.threshold),
    factor: sum.expected > 0 ? sum.observed / sum.expected : null,
    basis: 'hour_of_day',
    comparable: sum.comparable,
    strength: sum.strength,
    movers: [],
    also: [],
    covers: [],
  };
}

function levelSentence(
  { grid }: DetectionContext,
  { track }: DetectionSubject,
  sum: JudgedSum,
  unit: FindingUnit,
): string {
  const span = formatSpan(hourStart(grid, sum.start), hourStart(grid, sum.end), grid.timeZone, formatWeekdayTime);
  const part = sum.observed > 0 ? sum.expected / sum.observed : Infinity;
  const usual = part > 0.001 ? findingAmount(unit, sum.expected) : 'next to nothing';
  const factor = part > 0.001 && part < 1 ? `, ${formatFactor(1 / part)} the usual` : '; usual is';
  const verb = unit === 'usd' ? 'spent' : 'made';
  const limit = sum.observed > sum.expected ? 'Up to' : 'Down to';
  return (
    `${track.name} ${verb} ${findingAmount(unit, sum.observed)} in ${hoursText(sum.end - sum.start)} (${span})${factor} ${usual}. ` +
    `${limit} ${findingAmount(unit, sum.threshold)} would have been normal.`
  );
}
