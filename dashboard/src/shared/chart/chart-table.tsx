import { type ReactNode, useState } from 'react';
import { formatStep } from '../format/time.ts';
import { sum } from './stack.ts';
import type { TimeChartProps } from './chart-props.ts';
import styles from './time-chart.module.css';

type ChartTableProps = Omit<TimeChartProps, 'onPick'> & {
  readonly onPick: (column: number, layer: number) => void;
};

/** The figures of a chart as a table, for who reads rather than looks; its cells lead where the bars do. */
export function ChartTable(props: ChartTableProps): ReactNode {
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
