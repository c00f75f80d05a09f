import { formatSpan, formatWeekdayTime } from '../text/dates.ts';
import { type DetectionContext, historyFrom, oncePerDay, type DetectionSubject } from './detection-context.ts';
import { betaBinomialTail, recurrentHigh } from './statistics.ts';
import type { Finding } from './finding.ts';
import { dayStart, dayTotals, hourStart, sumBetween } from './grid.ts';
import { findingAmount, hoursText, formatFactor } from './words.ts';

const WINDOWS = [1, 6] as const;
const DAYS_LEAST = 2;
/** Before it is known better: 1 failed call in 100, as sure as 30 calls are. */
const PRIOR = { failed: 0.3, calls: 30 };
/** Part of the history's days, the worst ones, that are taken for incidents. */
const WORST_PART = 0.1;
const DAY_CALLS_LEAST = 5;
/** Range of certainty of an hourly rate, in calls. Hours vary more than days. */
const SURE_RANGE = [6, 400] as const;
const SURE_HOURS = 1 / 3;
/** Rates of few calls are drawn to the usual one. */
const DRAWN_CALLS = 8;
/** Factor that the odds must exceed the recurrent ones by. */
const RECURRENT_ODDS = 2;
const CRITICAL_RATE = 0.5;

interface ErrorHistory {
  readonly days: number;
  readonly rate: number;
  readonly sure: number;
  /** Recurrent rate for each of WINDOWS. */
  readonly recurrent: readonly number[];
}

const errorHistory = oncePerDay(({ grid }, subject, day): ErrorHistory | null => {
  const { calls, failed } = subject.track;
  const fromDay = historyFrom(subject, day);
  if (!calls || !failed || day - fromDay < DAYS_LEAST) return null;
  const counts = dayTotals(calls.sums, grid, fromDay, day);
  const fails = dayTotals(failed.sums, grid, fromDay, day);
  const days = counts
    .map((count, k) => ({ count, fails: fails[k] ?? 0 }))
    .filter(({ count }) => count >= DAY_CALLS_LEAST)
    .toSorted((a, b) => a.fails / a.count - b.fails / b.count);
  const kept = days.slice(0, Math.ceil(days.length * (1 - WORST_PART)));
  const total = kept.reduce((sum, { count }) => sum + count, PRIOR.calls);
  const rate = kept.reduce((sum, one) => sum + one.fails, PRIOR.failed) / total;
  // The variance between days beyond the binomial one shows how certain a rate is.
  let [beyond, weight] = [0, 0];
  for (const { count, fails: one } of kept) {
    beyond += count * (one / count - rate) ** 2 - rate * (1 - rate);
    weight += count;
  }
  const variance = weight > 0 ? Math.max(0, beyond / weight) : 0;
  const sure = variance > 0 ? (rate * (1 - rate)) / variance - 1 : SURE_RANGE[1] / SURE_HOURS;
  const recurrent = WINDOWS.map((window) => {
    const highest: number[] = [];
    for (let past = fromDay; past < day; past += 1) {
      let top = 0;
      for (let i = dayStart(grid, past); i < dayStart(grid, past + 1); i += 1) {
        const count = sumBetween(calls.sums, i + 1 - window, i + 1);
        if (count > 0) top = Math.max(top, drawn(sumBetween(failed.sums, i + 1 - window, i + 1), count, rate));
      }
      highest.push(top);
    }
    return recurrentHigh(highest);
  });
  return {
    days: days.length,
    rate,
    sure: Math.min(SURE_RANGE[1], Math.max(SURE_RANGE[0], sure * SURE_HOURS)),
    recurrent,
  };
});

function drawn(failed: number, calls: number, rate: number): number {
  return (failed + DRAWN_CALLS * rate) / (calls + DRAWN_CALLS);
}

function withOdds(rate: number, factor: number): number {
  return (factor * rate) / (1 - rate + factor * rate);
}

/** More calls fail than this series' own rate and its unsteadiness allow for, by a test that holds for few calls too. */
export function judgeErrors(context: DetectionContext, subject: DetectionSubject, hour: number): Finding | null {
  const { calls, failed, scope, name } = subject.track;
  if (!calls || !failed || (failed.values[hour] ?? 0) === 0) return null;
  const { grid, strict } = context;
  const day = grid.day[hour] ?? 0;
  let best: Finding | null = null;
  WINDOWS.forEach((window, index) => {
    const [start, end] = [hour + 1 - window, hour + 1];
    const count = sumBetween(calls.sums, start, end);
    const fails = sumBetween(failed.sums, start, end);
    if (fails < strict.errorsLeast || count <= 0) return;
    const history = errorHistory(context, subject, day);
    if (!history) return;
    const [observed, usual] = [fails / count, history.rate];
    const limit = Math.max(usual + strict.errorRise, usual * strict.errorFactor);
    const recurs = withOdds(history.recurrent[index] ?? 0, RECURRENT_ODDS);
    if (observed < limit || drawn(fails, count, usual) < recurs) return;
    const chance = betaBinomialTail(fails, count, usual * history.sure, (1 - usual) * history.sure);
    const least = strict.errorChance / Math.max(1, context.subjects.length);
    const strength = chance > 0 ? Math.log(chance) / Math.log(least) : 10;
    if (strength < 1 || strength <= (best?.strength ?? 0)) return;
    const span = formatSpan(hourStart(grid, start), hourStart(grid, end), grid.timeZone, formatWeekdayTime);
    best = {
      type: 'ERROR_SPIKE',
      kind: 'errors',
      severity: observed >= CRITICAL_RATE ? 'critical' : 'warning',
      scope,
      name,
      at: hourStart(grid, hour),
      from: hourStart(grid, start),
      to: hourStart(grid, end),
      unit: 'share',
      observed,
      expected: usual,
      threshold: Math.max(limit, recurs),
      factor: observed / usual,
      excessNano: 0,
      basis: 'days',
      comparable: history.days,
      strength,
      text:
        `${fails} of ${findingAmount('calls', count)} of ${name} failed in ${hoursText(window)} (${span}): ${findingAmount('share', observed)}, ` +
        `${formatFactor(observed / usual)} the usual ${findingAmount('share', usual)} of ${history.days} days.`,
      movers: [],
      also: [],
      covers: [],
    };
  });
  return best;
}
