import { useComputedColorScheme } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { isolated } from '../format/isolated.ts';
import { formatStep, type TimeStep } from '../format/time.ts';
import type { BarChart, BarChartData } from './bar-chart.ts';
import { assignColors, type ChartLayer, sum } from './stack.ts';
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

/** What draws bars: the largest piece there is, for pages that draw some. */
export async function loadBarChart(): Promise<typeof BarChart> {
  return (await import('./bar-chart.ts')).BarChart;
}

type ChartLegendProps = Pick<TimeChartProps, 'layers' | 'nameOf' | 'format'> & { readonly colors: readonly string[] };

/** Which colour is what, with what it comes to. */
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

/** What is left out is said, and a total of nothing else is not known. */
function legendTotal(total: number, leftOut: string | null, format: ChartLegendProps['format']): string {
  if (leftOut === null) return format(total);
  return total === 0 ? `unknown, ${leftOut}` : `${format(total)}, ${leftOut}`;
}

type ChartTableProps = Omit<TimeChartProps, 'onPick'> & {
  readonly onPick: (column: number, layer: number) => void;
};

/** The figures of a chart as a table, for who reads rather than looks; its cells lead where the bars do. */
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
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={`${name}, as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{step}</th>
            {layers.map(({ value }) => (
              <th key={value ?? ''} scope="col">
                {nameOf(value)}
              </th>
            ))}
            {layers.length > 1 && <th scope="col">together</th>}
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

/** One step of one value, as it was picked: what to look into. */
export interface PickedBar {
  /** ISO 8601; `until` is exclusive, and null for the step under way. */
  readonly start: string;
  readonly until: string | null;
  readonly value: string | null;
}

interface TimeChartProps {
  /** What is drawn, for who doesn't see it: "Cost by model". */
  readonly name: string;
  readonly starts: readonly string[];
  readonly step: TimeStep;
  /** Whose days the steps are; said under the chart. */
  readonly zone: string;
  readonly layers: readonly ChartLayer[];
  readonly nameOf: (value: string | null) => string;
  readonly format: (amount: number) => string;
  readonly onPick: (picked: PickedBar) => void;
}
