import { type Baseline, expectedIn, valueAtScore, WINDOWS } from './baseline.ts';
import { type Bench, callsBaseline, costBaseline, relevance, type Subject } from './bench.ts';
import { thresholdFor } from './calibrate.ts';
import type { Finding } from './finding.ts';
import { DAY_HOURS, instantOf, type Measure, sumBetween } from './grid.ts';
import { amount, lengthOf, localSpan, times } from './words.ts';

/**
 * How the false alerts that a workspace may get are shared: among windows, of which one of some hours has the most ways to
 * look unusual, and between the whole and its parts, which repeat one another. The fit is careful, as heavy tails are, so
 * that fewer come than it is asked for; the whole may have twice of it.
 */
const WINDOW_SHARES = [0.3, 0.1, 0.2] as const;
const WHOLE_SHARE = 2;
const PARTS_SHARE = 0.15;
const WEEK_DAYS = 7;
/** A sum over a day also needs as many whole days to compare with. */
const LONG_WINDOW_DAYS = 6;
/** The last hours of a long window must go on with it, or the finding is only the echo of what is over. */
const LAST_HOURS = 3;
const LAST_PART = 0.35;
/** Days and weeks back that a sum must stand out against before it is worth a closer look. */
const GLANCE_DAYS = 7;
const GLANCE_PART = 0.7;
/** A little more than a burst that recurs is nothing new. */
const BURST_MARGIN = 1.25;
const CRITICAL_STRENGTH = 3;
const CRITICAL_RELEVANCE = 5;
const CALLS_DAY_PART = 0.1;

/** A sum of hours that ends with the judged one. */
interface Sum {
  readonly window: number;
  readonly start: number;
  readonly end: number;
  readonly observed: number;
  readonly expected: number;
  readonly threshold: number;
  readonly strength: number;
}

/** Spend of 1, 6 or 24 hours far above the usual; the window that says so most clearly. */
export function judgeCost(bench: Bench, subject: Subject, hour: number): Finding | null {
  const day = bench.grid.day[hour] ?? 0;
  const least = relevance(bench, subject, day);
  const base = (): Baseline | null => costBaseline(bench, subject, day);
  const sum = strongest(bench, subject, subject.track.cost, hour, base, bench.strict.factors, least);
  if (!sum) return null;
  const excess = sum.observed - sum.expected;
  const critical = sum.strength >= CRITICAL_STRENGTH && excess >= CRITICAL_RELEVANCE * least;
  return {
    ...describe(bench, subject, hour, sum, base()),
    type: 'COST_SPIKE',
    kind: 'cost',
    severity: critical ? 'critical' : 'warning',
    unit: 'usd',
    excessNano: Math.round(excess),
    text: sentence(bench, subject, sum, 'usd'),
  };
}

/** Calls of 1 or 6 hours far above the usual. */
export function judgeVolume(bench: Bench, subject: Subject, hour: number): Finding | null {
  const { calls } = subject.track;
  if (!calls) return null;
  const day = bench.grid.day[hour] ?? 0;
  const base = (): Baseline | null => callsBaseline(bench, subject, day);
  const { callFactor, callsLeast } = bench.strict;
  const least = Math.max(callsLeast, CALLS_DAY_PART * usualCalls(bench.whole?.track.calls ?? calls, hour));
  const sum = strongest(bench, subject, calls, hour, base, [callFactor, callFactor], least);
  // Where money is at stake, money decides.
  if (!sum || costs(bench, subject, sum) >= relevance(bench, subject, day)) return null;
  return {
    ...describe(bench, subject, hour, sum, base()),
    type: 'UNUSUAL_ACTIVITY',
    kind: 'volume',
    severity: 'warning',
    unit: 'calls',
    excessNano: 0,
    text: sentence(bench, subject, sum, 'calls'),
  };
}

/** Calls of a day, over the week before. */
function usualCalls({ sums }: Measure, hour: number): number {
  return sumBetween(sums, hour - WEEK_DAYS * DAY_HOURS, hour) / WEEK_DAYS;
}

/** Nano-USD above the usual in the hours of a sum. */
function costs(bench: Bench, subject: Subject, { start, end }: Sum): number {
  const base = costBaseline(bench, subject, bench.grid.day[end - 1] ?? 0);
  return sumBetween(subject.track.cost.sums, start, end) - (base ? expectedIn(base, start, end) : 0);
}

function strongest(
  bench: Bench,
  subject: Subject,
  measure: Measure,
  hour: number,
  baseline: () => Baseline | null,
  factors: readonly number[],
  least: number,
): Sum | null {
  let best: Sum | null = null;
  factors.forEach((factor, index) => {
    const window = WINDOWS[index] ?? 1;
    const observed = sumBetween(measure.sums, hour + 1 - window, hour + 1);
    if (observed < least || !standsOut(measure, hour, window, observed, factor)) return;
    const base = baseline();
    if (!base || (window > 6 && base.days < LONG_WINDOW_DAYS)) return;
    const sum = judgeSum(bench, subject === bench.whole, measure, base, hour, index);
    if (!sum || sum.observed < factor * sum.expected || sum.observed - sum.expected < least) return;
    if (sum.strength >= 1 && sum.strength > (best?.strength ?? 0)) best = sum;
  });
  return best;
}

/**
 * A glance before the closer look: against the median of the same hours of the last seven days and against last week.
 * Hardly any hour needs more.
 */
function standsOut({ sums }: Measure, hour: number, window: number, observed: number, factor: number): boolean {
  const before: number[] = [];
  for (let back = 1; back <= GLANCE_DAYS; back += 1) {
    const end = hour + 1 - back * 24;
    if (end - window < 0) break;
    before.push(sumBetween(sums, end - window, end));
  }
  const lastWeek = before[GLANCE_DAYS - 1] ?? 0;
  before.sort((a, b) => a - b);
  const middle = before[before.length >> 1] ?? 0;
  return observed >= GLANCE_PART * factor * Math.min(middle, lastWeek);
}

function judgeSum(
  bench: Bench,
  isWhole: boolean,
  { sums }: Measure,
  base: Baseline,
  hour: number,
  index: number,
): Sum | null {
  const window = WINDOWS[index] ?? 1;
  const [start, end] = [Math.max(hour + 1 - window, base.from), hour + 1];
  const calibration = base.calibrations[index];
  const observed = sumBetween(sums, start, end);
  const expected = expectedIn(base, start, end) + (window === DAY_HOURS ? base.dayBursts : 0);
  if (!calibration || observed <= expected) return null;
  const share = isWhole ? WHOLE_SHARE : PARTS_SHARE / Math.max(1, bench.subjects.length);
  const chance = (bench.strict.falsePerWeek / WEEK_DAYS) * share * (WINDOW_SHARES[index] ?? 0);
  const limit = valueAtScore(base, thresholdFor(calibration, chance, bench.strict.enough), start, end);
  const threshold = Math.max(limit, expected + BURST_MARGIN * calibration.burst);
  const strength = (observed - expected) / (threshold - expected);
  if (window > 1 && !goesOn(sums, base, window, end, observed - expected)) return null;
  return { window, start, end, observed, expected, threshold, strength };
}

function goesOn(sums: Float64Array, base: Baseline, window: number, end: number, excess: number): boolean {
  const last = Math.min(LAST_HOURS, window / 2);
  const recent = sumBetween(sums, end - last, end) - expectedIn(base, end - last, end);
  return recent >= (LAST_PART * excess * last) / window;
}

type Described = 'at' | 'scope' | 'name' | 'from' | 'to' | 'observed' | 'expected' | 'threshold' | 'factor';

function describe(
  { grid }: Bench,
  { track }: Subject,
  hour: number,
  sum: Sum,
  base: Baseline | null,
): Pick<Finding, Described | 'basis' | 'comparable' | 'strength' | 'movers' | 'also' | 'covers'> {
  return {
    at: instantOf(grid, hour),
    scope: track.scope,
    name: track.name,
    from: instantOf(grid, sum.start),
    to: instantOf(grid, sum.end),
    observed: Math.round(sum.observed),
    expected: Math.round(sum.expected),
    threshold: Math.round(sum.threshold),
    factor: sum.expected > 0 ? sum.observed / sum.expected : null,
    basis: base && base.days >= 2 * WEEK_DAYS ? 'hour_of_week' : 'hour_of_day',
    comparable: base?.days ?? 0,
    strength: sum.strength,
    movers: [],
    also: [],
    covers: [],
  };
}

function sentence({ grid }: Bench, { track }: Subject, sum: Sum, unit: 'usd' | 'calls'): string {
  const span = localSpan(instantOf(grid, sum.start), instantOf(grid, sum.end), grid.timeZone);
  const usual = sum.expected / sum.observed > 0.001 ? amount(unit, sum.expected) : 'next to nothing';
  const factor =
    sum.expected / sum.observed > 0.001 ? `, ${times(sum.observed / sum.expected)} the usual` : '; usual is';
  const verb = unit === 'usd' ? 'spent' : 'made';
  return (
    `${track.name} ${verb} ${amount(unit, sum.observed)} in ${lengthOf(sum.end - sum.start)} (${span})${factor} ${usual}. ` +
    `Up to ${amount(unit, sum.threshold)} would have been within its own past.`
  );
}
