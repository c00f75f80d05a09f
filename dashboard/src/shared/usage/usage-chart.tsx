import type { ReactNode } from 'react';
import { shortCount } from '../../../../src/domain/text/counts.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import type { ChartActions, ChartLink, ChartMark, ChartTime } from '../chart/chart-actions.ts';
import type { ChartBand } from '../chart/plot-band.tsx';
import { runningLayers } from '../chart/running-total.ts';
import { OTHER_VALUES, stackLayers, type UsageMeasure } from '../chart/stack.ts';
import { TimeChart } from '../chart/time-chart.tsx';
import type { AddressChanges } from '../filter/address.ts';
import type { UsageFilter } from '../filter/usage-filter.ts';
import { choiceBetween, stepEnd } from '../time/period.ts';
import { dimensionName, filterFor, valueName } from './dimensions.ts';

interface UsageChartProps {
  readonly series: UsageSeries;
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly measure: UsageMeasure;
  readonly keyNames: ReadonlyMap<string, string>;
  readonly marks?: readonly ChartMark[];
  readonly band?: ChartBand;
  /** Shows the sum of each step and those before it. */
  readonly isRunning?: boolean;
  readonly isLog?: boolean;
  /** A click on a value of one column also chooses its time. Default: only the value. */
  readonly picksTime?: boolean;
  /** Called with the filter of a value, or a shorter period. */
  readonly onChange: (changes: AddressChanges) => void;
}

const MEASURE_NAMES: Readonly<Record<UsageMeasure, string>> = { cost: 'Cost', calls: 'Calls', tokens: 'Tokens' };

/** Usage over time. A click on a value filters by it, and dragging chooses a shorter time. */
export function UsageChart(props: UsageChartProps): ReactNode {
  const { series, dimension, measure, keyNames, isRunning = false, isLog = false } = props;
  const { starts, step, timeZone } = series;
  const layers = stackLayers(series, measure);
  return (
    <TimeChart
      name={`${MEASURE_NAMES[measure]} by ${dimensionName(dimension)}`}
      starts={starts}
      end={chartEnd(series)}
      step={step}
      zone={timeZone}
      layers={isRunning ? runningLayers(layers) : layers}
      isRunningTotal={isRunning}
      isLog={isLog}
      nameOf={(value) => valueName(dimension, value, keyNames)}
      format={measure === 'cost' ? shortDollars : shortCount}
      marks={props.marks ?? []}
      band={props.band}
      actions={chartActions(props)}
    />
  );
}

/** Returns the end of the last column: a current one ends in the future. */
export function chartEnd({ period, starts, step, timeZone }: UsageSeries): string {
  const natural = stepEnd(starts.at(-1) ?? period.start, step, timeZone);
  const isCurrent = Date.parse(natural) > Date.now();
  return isCurrent || natural < period.end ? natural : period.end;
}

function chartActions(props: UsageChartProps): ChartActions {
  const { series, filter, dimension, picksTime = false, onChange } = props;
  const { timeZone, step } = series;
  const toTime = ({ start, until }: ChartTime): AddressChanges => ({
    range: undefined,
    ...choiceBetween(start, until, timeZone),
  });
  return {
    pick(value, time) {
      const chosen = valueFilter(dimension, value, filter);
      return chosen && (() => onChange({ ...(picksTime && time && toTime(time)), ...chosen }));
    },
    zoom: step === 'minute' ? null : (time) => onChange(toTime(time)),
    calls: (time, value) =>
      callsLink(filter, timeZone, time, value === undefined ? {} : valueFilter(dimension, value, filter)),
  };
}

function callsLink(
  filter: UsageFilter,
  zone: string,
  { start, until }: ChartTime,
  chosen: AddressChanges | null,
): ChartLink | null {
  if (chosen === null) return null;
  return { to: '/calls', search: { ...filter, range: undefined, ...choiceBetween(start, until, zone), ...chosen } };
}

/** Returns the filter for a value; null for the sum of all others, and for usage without a value. */
function valueFilter(dimension: string, value: string | null, filter: UsageFilter): AddressChanges | null {
  return value === null || value === OTHER_VALUES ? null : filterFor(dimension, value, filter);
}
