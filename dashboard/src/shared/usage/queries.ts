import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-api.ts';
import { loadBarChart } from '../chart/time-chart.tsx';
import { type UsageFilter, useUsageQuery } from '../filter/usage-filter.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/clock.ts';
import { choosePeriod, periodBefore } from '../time/period.ts';
import { dimensionQuery } from './dimensions.ts';
import type { PeriodStep } from '../../../../src/domain/time/period.ts';

interface SeriesOptions {
  readonly filter: UsageFilter;
  readonly dimension: string;
  readonly step: PeriodStep;
  /** Number of separate values; the others are summed up. */
  readonly limit?: number;
}

const LAYERS_MAX = 7;

/** Reads usage over time by one dimension, in the zone of the workspace. */
export function useSeries({ filter, dimension, step, limit = LAYERS_MAX }: SeriesOptions): UseQueryResult<UsageSeries> {
  const usage = useUsageQuery(filter);
  // Load the chart code while the data loads; the chart itself reports a failure.
  useEffect(() => void loadBarChart().catch(() => undefined), []);
  return useRead('GET /api/mcp/usage/series', {
    query: { ...usage, ...dimensionQuery(dimension), step, limit },
    changedBy: ['recorded'],
  });
}

interface TotalsOptions {
  readonly filter: UsageFilter;
  readonly dimension: string;
  /** Also read the previous period of the same length. */
  readonly compare: boolean;
}

const TOTALS_MAX = 100;

/** Reads the totals of each value of a dimension, in the fewest possible steps. */
export function useTotals({ filter, dimension, compare }: TotalsOptions): UseQueryResult<UsageSeries> {
  const { timeZone } = useWorkspace();
  const usage = useUsageQuery(filter);
  const now = useNow();
  const before = periodBefore(choosePeriod(filter, now, timeZone), timeZone);
  return useRead('GET /api/mcp/usage/series', {
    query: {
      ...usage,
      ...(compare && { compareStartDate: before.startDate, compareEndDate: before.endDate }),
      ...dimensionQuery(dimension),
      step: 'month',
      limit: TOTALS_MAX,
    },
    changedBy: ['recorded'],
  });
}

/** Returns the tag keys of calls in the last 30 days. */
export function useTagKeys(): readonly string[] {
  const { data } = useRead('GET /api/mcp/usage/values');
  return data?.tagKeys ?? [];
}
