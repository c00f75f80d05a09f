/** Places amounts on an axis. */
export interface PlotScale {
  /** Amounts that have a line, lowest first. */
  readonly ticks: readonly number[];
  /** Returns the height of an amount, 0 to 1. */
  readonly height: (amount: number) => number;
}

export type ScaleKind = 'linear' | 'log';

/** Returns a scale on which all amounts fit. */
export function plotScale(kind: ScaleKind, amounts: readonly number[]): PlotScale {
  const largest = Math.max(0, ...amounts);
  const smallest = Math.min(...amounts.filter((amount) => amount > 0));
  return kind === 'log' && smallest < largest ? logScale(smallest, largest) : linearScale(largest);
}

const TICKS_MAX = 5;
const ROUND_STEPS = [1, 2, 2.5, 5, 10];

function linearScale(largest: number): PlotScale {
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

/** Decades that a logarithmic axis shows at most; smaller amounts are at its foot. */
const DECADES_MAX = 6;

/** 0 and the smallest power of ten are at the foot. */
function logScale(smallest: number, largest: number): PlotScale {
  const top = Math.ceil(Math.log10(largest));
  const foot = Math.max(Math.ceil(Math.log10(smallest)) - 1, top - DECADES_MAX);
  const decades = top - foot;
  return {
    ticks: Array.from({ length: decades + 1 }, (_, index) => 10 ** (foot + index)),
    height: (amount) => (amount <= 0 ? 0 : Math.max(0, (Math.log10(amount) - foot) / decades)),
  };
}
