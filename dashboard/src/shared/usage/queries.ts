import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import type { UsageValues } from '../../../../src/contract/values.ts';
import { useRead } from '../api/use-api.ts';
import { loadBarChart } from '../chart/time-chart.tsx';
import { type UsageFilter, useUsageQuery } from '../filter/usage-filter.ts';
import type { TimeStep } from '../format/time.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/clock.ts';
import { choosePeriod, periodBefore } from '../time/period.ts';
import { dimensionQuery } from './dimensions.ts';

interface SeriesOptions {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly step: TimeStep;
  /** Values that are told apart; the others are added up. */
  readonly limit?: number;
}

const LAYERS_MAX = 7;

/** Usage over time by one dimension, in the days of the workspace. */
export function useSeries({ filter, dimension, step, limit = LAYERS_MAX }: SeriesOptions): UseQueryResult<UsageSeries> {
  const usage = useUsageQuery(filter);
  // What draws the figures comes while they are asked for; whether it came is asked by who draws.
  useEffect(() => void loadBarChart().catch(() => undefined), []);
  return useRead<UsageSeries>('/api/mcp/usage/series', {
    query: { ...usage, ...dimensionQuery(dimension), step, limit },
    changedBy: ['booked'],
  });
}

interface TotalsOptions {
  readonly filter: UsageFilter;
  readonly dimension: string;
  /** With the period of the same length right before. */
  readonly compare: boolean;
}

const NOW_REFRESH_MS = 60_000;
const TOTALS_MAX = 100;

/** What each value of a dimension comes to, in as few steps as there can be. */
export function useTotals({ filter, dimension, compare }: TotalsOptions): UseQueryResult<UsageSeries> {
  const { timeZone } = useWorkspace();
  const usage = useUsageQuery(filter);
  const now = useNow(NOW_REFRESH_MS);
  const before = periodBefore(choosePeriod(filter, now, timeZone), timeZone);
  return useRead<UsageSeries>('/api/mcp/usage/series', {
    query: {
      ...usage,
      ...(compare && { compareStartDate: before.startDate, compareEndDate: before.endDate }),
      ...dimensionQuery(dimension),
      step: 'month',
      limit: TOTALS_MAX,
    },
    changedBy: ['booked'],
  });
}

/** Keys of the tags that calls of the last 30 days carry. */
export function useTagKeys(): readonly string[] {
  const { data } = useRead<UsageValues>('/api/mcp/usage/values');
  return data?.tagKeys ?? [];
}
