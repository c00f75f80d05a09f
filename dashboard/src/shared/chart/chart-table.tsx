import { type ReactNode, useState } from 'react';
import { formatStep } from '../../../../src/domain/text/dates.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';
import type { ChartActions, ChartTime } from './chart-actions.ts';
import styles from './chart-table.module.css';
import { rangeText } from './column-tooltip.tsx';
import type { ChartBand } from './plot-band.tsx';
import { type ChartLayer, sum } from './stack.ts';
import { PageLink } from '../ui/links.tsx';

interface ChartTableProps {
  readonly name: string;
  readonly times: readonly ChartTime[];
  readonly step: PeriodStep;
  readonly zone: string;
  readonly layers: readonly ChartLayer[];
  readonly nameOf: (value: string | null) => string;
  readonly format: (amount: number) => string;
  readonly band?: ChartBand | undefined;
  /** Number of columns with figures; absent = all. */
  readonly known?: number | undefined;
  readonly calls: ChartActions['calls'];
}

/** The figures of a chart as a table, which can be read without seeing or pointing. */
export function ChartTable(props: ChartTableProps): ReactNode {
  const [open, setOpen] = useState(false);
  return (
    <details className={styles.details} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Show as table</summary>
      {open && <FigureTable {...props} />}
    </details>
  );
}

const STEP_TITLES: Readonly<Record<PeriodStep, string>> = {
  minute: 'Minute',
  ten_minutes: 'Time',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
};

function FigureTable(props: ChartTableProps): ReactNode {
  const { name, times, step, zone, layers, nameOf, format, band, known = Infinity, calls } = props;
  const compared = layers.some(({ previous }) => previous);
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
            {compared && <th scope="col">Previous period</th>}
            {band && <th scope="col">{band.name}</th>}
          </tr>
        </thead>
        <tbody>
          {times.map((time, column) => (
            <tr key={time.start}>
              <th scope="row">{formatStep(time.start, step, zone)}</th>
              {layers.map(({ value, amounts }) => (
                <td key={value ?? ''}>
                  <FigureCell amount={amounts[column] ?? 0} format={format} link={calls(time, value)} />
                </td>
              ))}
              {layers.length > 1 && (
                <td>{column < known ? format(sum(layers.map(({ amounts }) => amounts[column] ?? 0))) : ''}</td>
              )}
              {compared && <td>{format(sum(layers.map(({ previous }) => previous?.amounts[column] ?? 0)))}</td>}
              {band && <td>{bandText(band, column, format)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function bandText({ columns }: ChartBand, column: number, format: (amount: number) => string): string {
  const range = columns[column] ?? null;
  return range === null ? '' : rangeText(range, format);
}

interface FigureCellProps {
  readonly amount: number;
  readonly format: (amount: number) => string;
  readonly link: ReturnType<ChartActions['calls']>;
}

/** An amount that leads to its calls. */
function FigureCell({ amount, format, link }: FigureCellProps): ReactNode {
  if (amount === 0) return <span className="soft">–</span>;
  return link === null ? (
    format(amount)
  ) : (
    <PageLink to={link.to} search={link.search}>
      {format(amount)}
    </PageLink>
  );
}
