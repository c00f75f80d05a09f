import type { ReactNode } from 'react';
import { barHeight, type PlotArea } from './plot-area.ts';
import type { PlotScale } from './plot-scale.ts';
import styles from './plot.module.css';

/** A range of amounts and the one expected within it. */
export interface AmountRange {
  readonly low: number;
  readonly middle: number;
  readonly high: number;
}

/** Ranges behind the bars: usual amounts, or a forecast. */
export interface ChartBand {
  /** Heading: `Usual`, `Forecast`. */
  readonly name: string;
  /** Range of each column; null = none. */
  readonly columns: readonly (AmountRange | null)[];
}

interface PlotBandProps {
  readonly area: PlotArea;
  readonly scale: PlotScale;
  readonly band: ChartBand;
}

export function PlotBand({ area, scale, band }: PlotBandProps): ReactNode {
  const { range, middle } = bandPaths(area, scale, band);
  return (
    <>
      <path className={styles.range} d={range} />
      <path className={styles.middle} d={middle} />
    </>
  );
}

/** Returns the outline of the ranges and the line of their middles, as paths of an SVG. */
export function bandPaths(
  area: PlotArea,
  scale: PlotScale,
  { columns }: ChartBand,
): { readonly range: string; readonly middle: string } {
  const height = (amount: number): number => round(area.bottom - barHeight(area, scale, amount));
  let [range, middle] = ['', ''];
  columns.forEach((one, column) => {
    if (one === null) return;
    const [from, to] = [round(area.left + column * area.band), round(area.left + (column + 1) * area.band)];
    range += `M${from} ${height(one.low)}V${height(one.high)}H${to}V${height(one.low)}Z`;
    middle += `${(columns[column - 1] ?? null) === null ? 'M' : 'L'}${from} ${height(one.middle)}H${to}`;
  });
  return { range, middle };
}

function round(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}
