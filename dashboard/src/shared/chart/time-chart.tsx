import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isolated } from '../format/isolated.ts';
import type { BarChart, BarChartData } from './bar-chart.ts';
import { seriesColors } from './series-colors.ts';
import { type ChartLayer, sum } from './stack.ts';
import styles from './time-chart.module.css';
import { formatStep } from '../../../../src/domain/text/dates.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';

/** Stacked bars over time. A click on a bar opens its calls; the same figures are available as a table. */
export function TimeChart(props: TimeChartProps): ReactNode {
  const { name, starts, step, zone, layers, nameOf, format, onPick } = props;
  const colors = seriesColors(layers.map(({ value }) => value));
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
        {STEP_NAMES[step]} in {zone}. Click a bar to see its calls.
      </figcaption>
      <ChartTable {...props} onPick={pick} />
    </figure>
  );
}

/** Loads the chart library, the largest script, only for pages with a chart. */
export async function loadBarChart(): Promise<typeof BarChart> {
  return (await import('./bar-chart.ts')).BarChart;
}

type ChartLegendProps = Pick<TimeChartProps, 'layers' | 'nameOf' | 'format'> & { readonly colors: readonly string[] };

/** Legend with the total of each value. */
function ChartLegend({ layers, colors, nameOf, format }: ChartLegendProps): ReactNode {
  return (
    <ul className={styles.legend}>
      {layers.map(({ value, total, leftOut }, index) => (
        <li key={value ?? ''}>
          <span className={styles.swatch} style={{ background: `var(${colors[index]})` }} />
          <span className={styles.name}>{isolated(nameOf(value))}</span>{' '}
          <span className="soft figure">{legendTotal(total, leftOut, format)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Formats a total with the usage that it leaves out; a total of only such usage is unknown. */
function legendTotal(total: number, leftOut: string | null, format: ChartLegendProps['format']): string {
  if (leftOut === null) return format(total);
  return total === 0 ? `Unknown, ${leftOut}` : `${format(total)}, ${leftOut}`;
}

type ChartTableProps = Omit<TimeChartProps, 'onPick'> & {
  readonly onPick: (column: number, layer: number) => void;
};

/** The figures of a chart as a table. Its cells open the same calls as the bars. */
function ChartTable(props: ChartTableProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {open && <FigureTable {...props} />}
    </details>
  );
}

function FigureTable({ name, starts, step, zone, layers, nameOf, format, onPick }: ChartTableProps): ReactNode {
  return (
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={`${name}, table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{STEP_TITLES[step]}</th>
            {layers.map(({ value }) => (
              <th key={value ?? ''} scope="col">
                {nameOf(value)}
              </th>
            ))}
            {layers.length > 1 && <th scope="col">Total</th>}
          </tr>
        </thead>
        <tbody>
          {starts.map((start, column) => (
            <tr key={start}>
              <th scope="row">{formatStep(start, step, zone)}</th>
              {layers.map(({ value, amounts }, layer) => (
                <td key={value ?? ''}>
                  <FigureCell amount={amounts[column] ?? 0} format={format} onPick={() => onPick(column, layer)} />
                </td>
              ))}
              {layers.length > 1 && <td>{format(sum(layers.map(({ amounts }) => amounts[column] ?? 0)))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface FigureCellProps {
  readonly amount: number;
  readonly format: (amount: number) => string;
  readonly onPick: () => void;
}

function FigureCell({ amount, format, onPick }: FigureCellProps): ReactNode {
  if (amount === 0) return <span className="soft">–</span>;
  return (
    <button type="button" className={styles.cell} onClick={onPick}>
      {format(amount)}
    </button>
  );
}

const STEP_NAMES: Readonly<Record<PeriodStep, string>> = { hour: 'Hours', day: 'Days', week: 'Weeks', month: 'Months' };

const STEP_TITLES: Readonly<Record<PeriodStep, string>> = { hour: 'Hour', day: 'Day', week: 'Week', month: 'Month' };

type ChartCanvasProps = Omit<BarChartData, 'ink' | 'line' | 'surface'> & { readonly name: string };

function ChartCanvas({ name, ...bars }: ChartCanvasProps): ReactNode {
  const ref = useRef<HTMLCanvasElement>(null);
  const chart = useRef<BarChart | null>(null);
  const latest = useRef(bars);
  // Redraw when the color scheme changes.
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
      <canvas ref={ref} role="img" aria-label={`${name}, bar chart. The table below has the same figures.`} />
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

/** The bar that was clicked: one step of one value. */
export interface PickedBar {
  /** ISO 8601; `until` is exclusive, and null for the current step. */
  readonly start: string;
  readonly until: string | null;
  readonly value: string | null;
}

interface TimeChartProps {
  /** Accessible name: "Cost by model". */
  readonly name: string;
  readonly starts: readonly string[];
  readonly step: PeriodStep;
  /** Time zone of the steps, shown in the caption. */
  readonly zone: string;
  readonly layers: readonly ChartLayer[];
  readonly nameOf: (value: string | null) => string;
  readonly format: (amount: number) => string;
  readonly onPick: (picked: PickedBar) => void;
}
