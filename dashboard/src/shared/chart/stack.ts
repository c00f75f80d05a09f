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
  /** Usage without a price that the amounts leave out; null = none. */
  readonly leftOut: string | null;
}

type UsagePoint = UsageSeries['points'][number];

/** Stacks usage by value, largest layer first; "(other)" and missing values are last. */
export function stackLayers(series: UsageSeries, measure: UsageMeasure): readonly ChartLayer[] {
  const columns = new Map(series.starts.map((start, index) => [start, index]));
  const layers = new Map<string | null, number[]>();
  const unpriced = new Map<string | null, { unpricedCalls: number; unpricedUsage: boolean }>();
  for (const point of series.points) {
    const column = columns.get(point.start);
    if (column === undefined) continue;
    const amounts = layers.get(point.value) ?? series.starts.map(() => 0);
    amounts[column] = (amounts[column] ?? 0) + readAmount(point, measure);
    layers.set(point.value, amounts);
    const left = unpriced.get(point.value) ?? { unpricedCalls: 0, unpricedUsage: false };
    left.unpricedCalls += point.unpricedCalls ?? 0;
    left.unpricedUsage ||= point.unpricedUsage ?? false;
    unpriced.set(point.value, left);
  }
  return [...layers]
    .map(([value, amounts]) => ({
      value,
      amounts,
      total: sum(amounts),
      leftOut: measure === 'cost' ? unpricedText(unpriced.get(value) ?? {}) : null,
    }))
    .toSorted((a, b) => Number(isRest(a.value)) - Number(isRest(b.value)) || b.total - a.total);
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
