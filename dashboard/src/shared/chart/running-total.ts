import type { AmountRange, ChartBand } from './plot-band.tsx';
import type { ChartLayer } from './stack.ts';

/** Sums each amount and those before it. @param before the sum before the first one */
export function runningTotal(amounts: readonly number[], before = 0): readonly number[] {
  let sum = before;
  return amounts.map((amount) => (sum += amount));
}

/** Returns the same layers with sums of each step and those before it. */
export function runningLayers(layers: readonly ChartLayer[]): readonly ChartLayer[] {
  return layers.map((layer) => ({
    ...layer,
    amounts: runningTotal(layer.amounts),
    previous: layer.previous && { ...layer.previous, amounts: runningTotal(layer.previous.amounts) },
  }));
}

interface TotalForecast {
  /** Total now, and the forecast for the end of the last column. */
  readonly total: number;
  readonly atEnd: AmountRange;
  /** End of each column, epoch milliseconds. */
  readonly ends: readonly number[];
  readonly now: number;
}

/** Draws a forecast for the last column as a straight line from now on. Columns of the past have no range. */
export function forecastBand({ total, atEnd, ends, now }: TotalForecast): ChartBand {
  const left = (ends.at(-1) ?? now) - now;
  const columns = ends.map((end) => {
    if (left <= 0 || end <= now) return null;
    const part = (end - now) / left;
    const place = (amount: number): number => total + (amount - total) * part;
    return { low: place(atEnd.low), middle: place(atEnd.middle), high: place(atEnd.high) };
  });
  return { name: 'Forecast', columns };
}
