import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { type UsageMeasure, OTHER_VALUES, stackLayers } from '../chart/stack.ts';
import { type PickedBar, TimeChart } from '../chart/time-chart.tsx';
import type { UsageFilter } from '../filter/usage-filter.ts';
import { localDay } from '../time/local-day.ts';
import { dimensionName, filterFor, valueName } from './dimensions.ts';
import { shortDollars } from '../../../../src/domain/text/money.ts';
import { shortCount } from '../../../../src/domain/text/counts.ts';

interface UsageChartProps {
  readonly series: UsageSeries;
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly measure: UsageMeasure;
  readonly keyNames: ReadonlyMap<string, string>;
}

const MEASURE_NAMES: Readonly<Record<UsageMeasure, string>> = { cost: 'Cost', calls: 'Calls', tokens: 'Tokens' };

/** Usage over time. A click on a bar opens its calls. */
export function UsageChart({ series, filter, dimension, measure, keyNames }: UsageChartProps): ReactNode {
  const navigate = useNavigate();
  const drill = (picked: PickedBar): void => {
    const search = {
      ...filter,
      range: undefined,
      ...barDays(picked, series.timeZone),
      ...barFilter(picked, dimension),
    };
    void navigate({ to: '/calls', search: search });
  };
  return (
    <TimeChart
      name={`${MEASURE_NAMES[measure]} by ${dimensionName(dimension)}`}
      starts={series.starts}
      step={series.step}
      zone={series.timeZone}
      layers={stackLayers(series, measure)}
      nameOf={(value) => valueName(dimension, value, keyNames)}
      format={measure === 'cost' ? shortDollars : shortCount}
      onPick={drill}
    />
  );
}

/** Returns the days of a bar; an hour counts as its day. */
function barDays({ start, until }: PickedBar, zone: string): { from: string; to: string } {
  const from = localDay(Date.parse(start), zone);
  const to = until === null ? localDay(Date.now(), zone) : localDay(Date.parse(until) - 1, zone);
  return { from, to: to < from ? from : to };
}

/** Returns the filter for the value of a bar; none for "All others" and "Unknown". */
function barFilter({ value }: PickedBar, dimension: string): Readonly<Record<string, string>> {
  return value === null || value === OTHER_VALUES ? {} : filterFor(dimension, value);
}
