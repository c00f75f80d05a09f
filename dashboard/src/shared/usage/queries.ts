import type { UseQueryResult } from '@tanstack/react-query';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-api.ts';
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
  /** Also read the previous period of the same length. */
  readonly compare?: boolean;
  /** Number of separate values; the others are summed up. */
  readonly limit?: number;
}

const LAYERS_MAX = 7;

/** Reads usage over time by one dimension, in the zone of the workspace. */
export function useSeries({
  filter,
  dimension,
  step,
  compare = false,
  limit = LAYERS_MAX,
}: SeriesOptions): UseQueryResult<UsageSeries> {
  const usage = useUsageQuery(filter);
  const previous = usePreviousPeriod(filter, compare);
  return useRead('GET /api/mcp/usage/series', {
    query: { ...usage, ...previous, ...dimensionQuery(dimension), step, limit },
    changedBy: ['recorded'],
  });
}

/** Returns query parameters for the comparison with the previous period. */
function usePreviousPeriod(filter: UsageFilter, compare: boolean) {
  const { timeZone } = useWorkspace();
  const now = useNow();
  if (!compare) return {};
  const { startDate, endDate } = periodBefore(choosePeriod(filter, now, timeZone), timeZone, now);
  return { compareStartDate: startDate, compareEndDate: endDate };
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
  const usage = useUsageQuery(filter);
  const previous = usePreviousPeriod(filter, compare);
  return useRead('GET /api/mcp/usage/series', {
    query: {
      ...usage,
      ...previous,
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
