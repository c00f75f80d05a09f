import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { formatStep, type TimeStep } from '../format/time.ts';
import type { BarChart, BarChartData } from './bar-chart.ts';
import type { TimeChartProps } from './chart-props.ts';
import { ChartTable } from './chart-table.tsx';
import { assignColors } from './colors.ts';
import { loadBarChart } from './load-bars.ts';
import { ChartLegend } from './legend.tsx';
import styles from './time-chart.module.css';

/** Amounts over time in stacked bars; a bar leads to its calls. The same figures stand beside it as a table. */
export function TimeChart(props: TimeChartProps): ReactNode {
  const { name, starts, step, zone, layers, nameOf, format, onPick } = props;
  const colors = assignColors(layers);
  const pick = (column: number, layer: number): void => {
    const start = starts[column];
    if (start !== undefined) onPick({ start, until: starts[column + 1] ?? null, value: layers[layer]?.value ?? null });
  };
  return (
    <figure className={styles.figure} aria-label={name}>
      <ChartCanvas
        name={name}
        labels={starts.map((start) => formatStep(start, step, zone))}
        layers={layers.map(({ value, amounts }, index) => ({
          name: nameOf(value),
          color: colors[index] ?? '--series-other',
          amounts,
        }))}
        format={format}
        onPick={pick}
      />
      {(layers.length > 1 || layers.some(({ leftOut }) => leftOut !== null)) && (
        <ChartLegend layers={layers} colors={colors} nameOf={nameOf} format={format} />
      )}
      <figcaption className={styles.caption}>
        {STEP_NAMES[step]} of {zone}. Click a bar to see its calls.
      </figcaption>
      <ChartTable {...props} onPick={pick} />
    </figure>
  );
}

const STEP_NAMES: Readonly<Record<TimeStep, string>> = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' };

type ChartCanvasProps = Omit<BarChartData, 'ink' | 'line' | 'surface'> & { readonly name: string };

function ChartCanvas({ name, ...bars }: ChartCanvasProps): ReactNode {
  const ref = useRef<HTMLCanvasElement>(null);
  const chart = useRef<BarChart | null>(null);
  const latest = useRef(bars);
  // Drawn anew when the colours of the page change.
  useComputedColorScheme();
  useEffect(() => {
    latest.current = bars;
    chart.current?.draw(withColors(bars));
  });
  useEffect(() => {
    let closed = false;
    const open = async (): Promise<void> => {
      const Chart = await loadBarChart();
      if (!closed && ref.current) chart.current = new Chart(ref.current, withColors(latest.current));
    };
    void open();
    return () => {
      closed = true;
      chart.current?.close();
      chart.current = null;
    };
  }, []);
  return (
    <div className={styles.canvas}>
      <canvas ref={ref} role="img" aria-label={`${name}, as bars. The same figures are in the table below.`} />
    </div>
  );
}

function withColors(bars: Omit<ChartCanvasProps, 'name'>): BarChartData {
  const style = getComputedStyle(document.documentElement);
  const color = (variable: string): string => style.getPropertyValue(variable).trim();
  return {
    ...bars,
    layers: bars.layers.map((layer) => ({ ...layer, color: color(layer.color) })),
    ink: color('--ink-soft'),
    line: color('--line'),
    surface: color('--surface'),
  };
}
