import type { ReactNode } from 'react';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';
import { useNow } from '../time/clock.ts';
import type { ChartMark } from './chart-actions.ts';
import type { AmountRange } from './plot-band.tsx';
import type { ChartLine } from './plot.tsx';
import { forecastBand, runningTotal } from './running-total.ts';
import { TimeChart } from './time-chart.tsx';

interface RunningChartProps {
  readonly name: string;
  /** Start of each column of the whole window, future ones too; ISO 8601. */
  readonly starts: readonly string[];
  /** End of the last column, ISO 8601. */
  readonly end: string;
  readonly step: PeriodStep;
  readonly zone: string;
  /** Amount of each column that has begun. */
  readonly amounts: readonly number[];
  /** Amount before the first column. */
  readonly before?: number;
  /** Total at the end of the window; null = no forecast. */
  readonly forecast: AmountRange | null;
  readonly line: ChartLine | undefined;
  readonly marks?: readonly ChartMark[];
  readonly format: (amount: number) => string;
}

/** Use since the start of a window, with its maximum and a forecast. */
export function RunningChart({ amounts, before = 0, forecast, ...props }: RunningChartProps): ReactNode {
  const { starts, end } = props;
  const now = useNow();
  const totals = runningTotal(amounts, before);
  const total = totals.at(-1) ?? before;
  const ends = [...starts.slice(1), end].map((at) => Date.parse(at));
  const layer = { value: null, amounts: totals, total, leftOut: null, leftOutAt: [], previous: null };
  return (
    <TimeChart
      {...props}
      layers={[layer]}
      nameOf={() => 'Used so far'}
      known={amounts.length}
      isRunningTotal
      band={forecast ? forecastBand({ total, atEnd: forecast, ends, now }) : undefined}
    />
  );
}
