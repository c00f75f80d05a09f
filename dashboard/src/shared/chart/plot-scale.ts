/** Places amounts on an axis. */
export interface PlotScale {
  /** Amounts that have a line, lowest first. */
  readonly ticks: readonly number[];
  /** Returns the height of an amount, 0 to 1. */
  readonly height: (amount: number) => number;
}

const TICKS_MAX = 5;
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

/** Powers of ten on a logarithmic axis; smaller amounts are drawn at its foot. */
const POWERS_MAX = 6;
/** Height of amounts at the foot of a logarithmic axis: they are not 0. */
const FOOT = 0.01;

/** Returns a logarithmic scale on which all amounts fit. */
export function logScale(amounts: readonly number[]): PlotScale {
  const positive = amounts.filter((amount) => amount > 0);
  if (positive.length === 0) return plotScale([]);
  const last = Math.ceil(Math.log10(Math.max(...positive)));
  const first = Math.min(last - 1, Math.max(last - POWERS_MAX, Math.floor(Math.log10(Math.min(...positive)))));
  return {
    ticks: Array.from({ length: last - first + 1 }, (_, index) => 10 ** (first + index)),
    height(amount) {
      if (amount <= 0) return 0;
      return Math.max(FOOT, (Math.log10(amount) - first) / (last - first));
    },
  };
}

/** Returns a scale on which all amounts fit. */
export function plotScale(amounts: readonly number[]): PlotScale {
  const largest = Math.max(0, ...amounts);
  if (largest === 0) return { ticks: [0], height: () => 0 };
  const rough = largest / TICKS_MAX;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * (ROUND_STEPS.find((round) => round * power >= rough) ?? 10);
  const count = Math.ceil(largest / step);
  const top = count * step;
  return {
    ticks: Array.from({ length: count + 1 }, (_, index) => index * step),
    height: (amount) => Math.max(0, amount) / top,
  };
}
