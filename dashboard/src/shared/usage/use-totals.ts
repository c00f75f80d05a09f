import type { UseQueryResult } from '@tanstack/react-query';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-read.ts';
import type { UsageFilter } from '../filter/usage-filter.ts';
import { useUsageQuery } from '../filter/use-usage-query.ts';
import { useWorkspace } from '../session/session.ts';
import { choosePeriod, periodBefore } from '../time/period.ts';
import { useNow } from '../time/use-now.ts';
import { dimensionQuery } from './dimensions.ts';

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
