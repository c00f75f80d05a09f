import { type Bench, oncePerDay, relevance, type Subject } from './bench.ts';
import type { Finding } from './finding.ts';
import { dayStart, dayTotals, instantOf, weekdayOf } from './grid.ts';
import { median, medianSlope, sorted, upperSpread } from './robust.ts';
import { amount, lengthOf, times } from './words.ts';

/** Whole days that are summed up; each needs all but one of them. */
const SPANS = [3, 7] as const;
const REFERENCE_DAYS = 28;
const REFERENCE_LEAST = 10;
const WEEK_DAYS = 7;
/** A rise is no news once the level was as high this many days before the span. */
const NEW_WITHIN_DAYS = 7;
/** Growth that goes on as before is no rise: at most this much a day (about 40 % a month) is believed to be growth. */
const GROWTH_MAX = 0.012;
/** Days differ by this much everywhere. */
const DEVIATION_LEAST = 0.08;
/** A median knows less than a mean, and neighbouring days resemble each other. */
const MEDIAN_VARIANCE = 1.57;
const ALIKE = 1.5;
/** Weekdays with less than this part of the usual are left out. */
const WEEKDAY_LEAST = 0.15;
const PART_OF_DAY = 1 / 3;

interface Rise {
  readonly span: number;
  readonly observed: number;
  readonly expected: number;
  readonly threshold: number;
  readonly days: number;
  readonly strength: number;
}

/** A moderate rise that lasts: the whole days until last midnight against the four weeks before them. */
const riseOf = oncePerDay((bench, subject, day): Rise | null => {
  let best: Rise | null = null;
  SPANS.forEach((span, index) => {
    const rise = riseOver(bench, subject, day, span, bench.strict.riseFactors[index] ?? Infinity);
    if (rise && rise.strength > (best?.strength ?? 0)) best = rise;
  });
  return best;
});

function riseOver(bench: Bench, subject: Subject, day: number, span: number, factor: number): Rise | null {
  const { grid } = bench;
  const fromDay = Math.max(subject.fromDay, day - span - REFERENCE_DAYS);
  const past = day - span - fromDay;
  if (past < REFERENCE_LEAST) return null;
  const totals = dayTotals(subject.track.cost.sums, grid, fromDay, day);
  const weekdays = weekdayFactors(totals.slice(0, past), (k) => weekdayOf(grid, fromDay + k));
  const levels = totals.map((total, k) => {
    const usual = weekdays[weekdayOf(grid, fromDay + k)] ?? 1;
    return usual < WEEKDAY_LEAST || total <= 0 ? NaN : Math.log(total / usual);
  });
  const before = levels.slice(0, past);
  const known = before.filter((level) => !Number.isNaN(level));
  const present = levels.slice(past).filter((level) => !Number.isNaN(level));
  if (known.length < REFERENCE_LEAST || present.length < Math.ceil(span * 0.6)) return null;
  const slope = Math.min(GROWTH_MAX, Math.max(0, medianSlope(before)));
  const detrended = known.map((level, k) => level - slope * (k - known.length / 2));
  const centre = median(detrended);
  const deviation = Math.max(DEVIATION_LEAST, upperSpread(sorted(detrended)));
  const usual = Math.max(centre + slope * (past / 2 + span / 2), recentLevel(levels, past));
  const error = deviation * Math.sqrt(MEDIAN_VARIANCE * ALIKE * (1 / present.length + 1 / known.length));
  const score = (median(present) - usual) / error;
  const weights = totals.slice(past).map((_, k) => weekdays[weekdayOf(grid, fromDay + past + k)] ?? 1);
  const weight = weights.reduce((sum, value) => sum + value, 0);
  const expected = Math.exp(usual) * weight;
  const observed = totals.slice(past).reduce((sum, value) => sum + value, 0);
  const least = Math.max(1, span * PART_OF_DAY) * relevance(bench, subject, day);
  const high = Math.exp(median(present) - usual);
  const goesOn = (present.at(-1) ?? usual) - usual > Math.log(factor) / 2;
  if (!goesOn || high < factor || score < bench.strict.riseScore || observed - expected < least) return null;
  const threshold = expected * Math.max(factor, Math.exp(bench.strict.riseScore * error));
  return { span, observed, expected, threshold, days: known.length, strength: score / bench.strict.riseScore };
}

/** The level of the week that ended some days before the span; -Infinity = there was none. */
function recentLevel(levels: readonly number[], past: number): number {
  const end = past - NEW_WITHIN_DAYS;
  const week = levels.slice(Math.max(0, end - WEEK_DAYS), Math.max(0, end)).filter((level) => !Number.isNaN(level));
  return week.length > WEEK_DAYS / 2 ? median(week) : -Infinity;
}

function weekdayFactors(totals: readonly number[], weekdayAt: (k: number) => number): number[] {
  const groups = Array.from({ length: WEEK_DAYS }, (): number[] => []);
  totals.forEach((total, k) => groups[weekdayAt(k)]?.push(total));
  const common = median(totals);
  return groups.map((group) => {
    if (group.length === 0 || common <= 0) return 1;
    return (median(group) / common) ** (group.length / (group.length + 1));
  });
}

export function judgeRise(bench: Bench, subject: Subject, hour: number): Finding | null {
  const { grid } = bench;
  const day = grid.day[hour] ?? 0;
  const rise = riseOf(bench, subject, day);
  if (!rise) return null;
  const { scope, name } = subject.track;
  const { span, observed, expected, threshold, days, strength } = rise;
  const whole = scope.kind === 'workspace';
  return {
    type: whole ? 'COST_SPIKE' : 'UNUSUAL_ACTIVITY',
    kind: whole ? 'cost_days' : 'drift',
    severity: 'warning',
    scope,
    name,
    at: instantOf(grid, hour),
    from: instantOf(grid, dayStart(grid, day - span)),
    to: instantOf(grid, dayStart(grid, day)),
    unit: 'usd',
    observed: Math.round(observed),
    expected: Math.round(expected),
    threshold: Math.round(threshold),
    factor: observed / expected,
    excessNano: Math.round(observed - expected),
    basis: 'days',
    comparable: days,
    strength,
    text:
      `${name} has been above its own history for ${lengthOf(span * 24)}: ${amount('usd', observed)}, ` +
      `${times(observed / expected)} the usual ${amount('usd', expected)}, compared with ${days} days before.`,
    movers: [],
    also: [],
    covers: [],
  };
}
