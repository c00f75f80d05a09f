import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { unpricedText } from '../usage/cost-sum.ts';

/** Measures of usage. */
export const MEASURES = ['cost', 'calls', 'tokens'] as const;
export type UsageMeasure = (typeof MEASURES)[number];

/** The service's name for the sum of all smaller values. */
export const OTHER_VALUES = '(other)';

/** One color of the chart: a value of the dimension with an amount per step. */
export interface ChartLayer {
  /** The service's name of the value; null = no value, or everything together. */
  readonly value: string | null;
  readonly amounts: readonly number[];
  readonly total: number;
  /** Usage without a price that the total leaves out; null = none. */
  readonly leftOut: string | null;
  /** The same for each step. */
  readonly leftOutAt: readonly (string | null)[];
  /** Amounts of the previous period; null = no comparison. */
  readonly previous: LayerAmounts | null;
}

interface LayerAmounts {
  /** Amounts by step, as many as the current period has. */
  readonly amounts: readonly number[];
  readonly total: number;
}

type UsagePoint = UsageSeries['points'][number];

/** Separator of the values of a pair of dimensions, and mark of a missing one. Names have no control characters. */
const [PAIR, MISSING] = ['\u001E', '\u0000'];

/** Returns the value of a point; that of a pair of dimensions has both. */
export function pointValue({ value, and }: Pick<UsagePoint, 'value' | 'and'>): string | null {
  if (and === undefined || value === OTHER_VALUES) return value;
  return value === null && and === null ? null : `${value ?? MISSING}${PAIR}${and ?? MISSING}`;
}

/** Splits the value of a pair. A chart may still show values of one dimension while it reads pairs, and the reverse. */
export function splitValue(value: string | null): readonly [first: string | null, second: string | null] {
  const [first = null, second = null] = (value ?? MISSING).split(PAIR).map((one) => (one === MISSING ? null : one));
  return [first, second];
}

/** Stacks usage by value, largest layer first; "(other)" and missing values are last. */
export function stackLayers(series: UsageSeries, measure: UsageMeasure): readonly ChartLayer[] {
  const { comparison } = series;
  const now = Map.groupBy(series.points, pointValue);
  const before = Map.groupBy(comparison?.points ?? [], pointValue);
  const values = [...new Set([...now.keys(), ...before.keys()])];
  return values
    .map((value) => {
      const points = pointsByStep(series.starts, now.get(value) ?? []);
      const amounts = points.map((those) => sumAmounts(those, measure));
      const leftOut = (those: readonly UsagePoint[]): string | null =>
        measure === 'cost' ? unpricedText(sumUnpriced(those)) : null;
      return {
        value,
        amounts,
        total: sum(amounts),
        leftOut: leftOut(points.flat()),
        leftOutAt: points.map(leftOut),
        previous: comparison ? previousAmounts(series, comparison.starts, before.get(value) ?? [], measure) : null,
      };
    })
    .toSorted((a, b) => Number(isRest(a.value)) - Number(isRest(b.value)) || b.total - a.total);
}

/** Returns the points of each step. */
function pointsByStep(starts: readonly string[], points: readonly UsagePoint[]): readonly (readonly UsagePoint[])[] {
  const byStart = Map.groupBy(points, ({ start }) => start);
  return starts.map((start) => byStart.get(start) ?? []);
}

/** Puts the first step of the previous period under the first one of this period, and so on. */
function previousAmounts(
  { starts: shown }: UsageSeries,
  starts: readonly string[],
  points: readonly UsagePoint[],
  measure: UsageMeasure,
): LayerAmounts {
  const amounts = pointsByStep(starts, points).map((those) => sumAmounts(those, measure));
  return { amounts: shown.map((_, step) => amounts[step] ?? 0), total: sum(amounts) };
}

function sumAmounts(points: readonly UsagePoint[], measure: UsageMeasure): number {
  return sum(points.map((point) => readAmount(point, measure)));
}

function sumUnpriced(points: readonly UsagePoint[]): { unpricedCalls: number; unpricedUsage: boolean } {
  return {
    unpricedCalls: sum(points.map((point) => point.unpricedCalls ?? 0)),
    unpricedUsage: points.some((point) => point.unpricedUsage),
  };
}

export function readAmount(point: UsagePoint, measure: UsageMeasure): number {
  if (measure === 'tokens')
    return point.inputTokens + point.cacheReadTokens + point.cacheWriteTokens + point.outputTokens;
  return point[measure];
}

function isRest(value: string | null): boolean {
  return value === null || value === OTHER_VALUES;
}

export function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
