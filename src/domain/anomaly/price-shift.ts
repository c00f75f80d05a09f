import { formatSpan, formatWeekdayTime } from '../text/dates.ts';
import {
  type DetectionContext,
  historyFrom,
  oncePerDay,
  relevance,
  type DetectionSubject,
} from './detection-context.ts';
import { median, medianDeviation, recurrentHigh } from './statistics.ts';
import type { Finding } from './finding.ts';
import { dayTotals, hourStart, sumBetween } from './grid.ts';
import { findingAmount, formatFactor } from './words.ts';

/** A whole day, so that the usual difference between nights and afternoons is not a change. */
const WINDOW_HOURS = 24;
const LAST_HOURS = 6;
const DAYS_LEAST = 7;
const LEVEL_DAYS = 5;
const DEVIATION_LEAST = 0.08;
/** Factor above the highest recurring price. */
const RECURRENT_MARGIN = 1.15;
/** Part of a usual day's tokens that the window must have. */
const TOKENS_PART = 0.1;
const MILLION = 1_000_000;

interface PriceHistory {
  readonly days: number;
  /** Logarithms of nano-USD per token. */
  readonly usual: number;
  readonly deviation: number;
  readonly recurrent: number;
  readonly tokensPerDay: number;
}

const priceHistory = oncePerDay(({ grid }, subject, day): PriceHistory | null => {
  const { cost, tokens } = subject.track;
  const fromDay = historyFrom(subject, day);
  if (!tokens || day - fromDay < DAYS_LEAST) return null;
  const costs = dayTotals(cost.sums, grid, fromDay, day);
  const counts = dayTotals(tokens.sums, grid, fromDay, day);
  const prices = costs.map((total, k) =>
    (counts[k] ?? 0) > 0 && total > 0 ? Math.log(total / (counts[k] ?? 1)) : NaN,
  );
  const known = prices.filter((price) => !Number.isNaN(price));
  if (known.length < DAYS_LEAST) return null;
  const usual = median(known);
  return {
    days: known.length,
    usual: Math.max(usual, median(known.slice(-LEVEL_DAYS))),
    deviation: Math.max(DEVIATION_LEAST, medianDeviation(known, usual)),
    recurrent: recurrentHigh(prices.map((price) => (Number.isNaN(price) ? 0 : Math.exp(price)))),
    tokensPerDay: median(counts),
  };
});

/** Judges the price per token of a day: a more expensive model, or a more expensive use of the same one. */
export function judgePrice(context: DetectionContext, subject: DetectionSubject, hour: number): Finding | null {
  const { cost, tokens, scope, name } = subject.track;
  if (!tokens || scope.kind === 'model') return null;
  const { grid, strict } = context;
  const day = grid.day[hour] ?? 0;
  const [start, end] = [hour + 1 - WINDOW_HOURS, hour + 1];
  const spent = sumBetween(cost.sums, start, end);
  const least = relevance(context, subject, day);
  if (spent < least) return null;
  const history = priceHistory(context, subject, day);
  const count = sumBetween(tokens.sums, start, end);
  if (!history || count <= 0 || count < TOKENS_PART * history.tokensPerDay) return null;
  const [price, usual] = [spent / count, Math.exp(history.usual)];
  const limit = Math.max(
    usual * Math.max(strict.priceFactor, Math.exp(strict.priceScore * history.deviation)),
    history.recurrent * RECURRENT_MARGIN,
  );
  const lastCount = sumBetween(tokens.sums, end - LAST_HOURS, end);
  const last = lastCount > 0 ? sumBetween(cost.sums, end - LAST_HOURS, end) / lastCount : 0;
  const excess = spent - usual * count;
  if (price < limit || last < Math.sqrt(usual * limit) || excess < least) return null;
  const unit = 'usd_per_million_tokens';
  const span = formatSpan(hourStart(grid, start), hourStart(grid, end), grid.timeZone, formatWeekdayTime);
  return {
    type: 'UNUSUAL_ACTIVITY',
    kind: 'model_shift',
    severity: 'warning',
    scope,
    name,
    at: hourStart(grid, hour),
    from: hourStart(grid, start),
    to: hourStart(grid, end),
    unit,
    observed: Math.round(price * MILLION),
    expected: Math.round(usual * MILLION),
    threshold: Math.round(limit * MILLION),
    factor: price / usual,
    excessNano: Math.round(excess),
    basis: 'days',
    comparable: history.days,
    strength: Math.log(price / usual) / Math.log(limit / usual),
    text:
      `${name} paid ${findingAmount(unit, price * MILLION)} (${span}), ${formatFactor(price / usual)} the usual ` +
      `${findingAmount(unit, usual * MILLION)}: the mix of models became more expensive, by ${findingAmount('usd', excess)}.`,
    movers: [],
    also: [],
    covers: [],
  };
}
