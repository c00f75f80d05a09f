import type { ChartLayer } from './stack.ts';
import { sum } from './stack.ts';
import type { PlotScale } from './plot-scale.ts';

/** Sizes in CSS pixels. */
const HEIGHT = 272;
const TOP = 12;
const BOTTOM = 24;
const RIGHT = 2;
const CHARACTER = 7.7;
const BAR_MAX = 44;
/** Part of its column that a bar fills. */
const BAR_SHARE = 0.8;

/** Places of the parts of a chart, in CSS pixels from its upper left corner. */
export interface PlotArea {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Width of a column and of its bar. */
  readonly band: number;
  readonly bar: number;
}

interface PlotSize {
  readonly width: number;
  readonly columns: number;
  /** Length of the longest text at the left, in characters. */
  readonly characters: number;
  /** Bars touch each other. */
  readonly isRunningTotal: boolean;
}

export function plotArea({ width, columns, characters, isRunningTotal }: PlotSize): PlotArea {
  const left = Math.min(width / 3, characters * CHARACTER + 10);
  const right = Math.max(left, width - RIGHT);
  const band = (right - left) / Math.max(1, columns);
  const bar = isRunningTotal ? band : Math.min(BAR_MAX, Math.max(1, band * BAR_SHARE));
  return { width, height: HEIGHT, left, right, top: TOP, bottom: HEIGHT - BOTTOM, band, bar };
}

/** Returns the column at a distance from the left edge, the nearest one if it is outside. */
export function columnAt({ left, band }: PlotArea, x: number, columns: number): number {
  return Math.min(columns - 1, Math.max(0, Math.floor((x - left) / band)));
}

export function columnCenter({ left, band }: PlotArea, column: number): number {
  return left + (column + 0.5) * band;
}

/** Returns the height of an amount above the axis. */
export function barHeight({ top, bottom }: PlotArea, scale: PlotScale, amount: number): number {
  return scale.height(amount) * (bottom - top);
}

/** A layer of one bar. */
export interface BarPart {
  readonly layer: number;
  readonly y: number;
  readonly height: number;
}

/** Stacks the layers of one column; the height of the whole bar is that of their sum. */
export function barParts(
  area: PlotArea,
  scale: PlotScale,
  layers: readonly Pick<ChartLayer, 'amounts'>[],
  column: number,
): readonly BarPart[] {
  const total = sum(layers.map(({ amounts }) => amounts[column] ?? 0));
  if (total <= 0) return [];
  const whole = barHeight(area, scale, total);
  let y = area.bottom;
  return layers.flatMap(({ amounts }, layer) => {
    const height = (whole * (amounts[column] ?? 0)) / total;
    if (height <= 0) return [];
    y -= height;
    return [{ layer, y, height }];
  });
}
