import type { UseQueryResult } from '@tanstack/react-query';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-read.ts';
import type { UsageFilter } from '../filter/usage-filter.ts';
import { useUsageQuery } from '../filter/use-usage-query.ts';
import { useWorkspace } from '../session/session.ts';
import { choosePeriod, periodBefore } from '../time/period.ts';
import { useNow } from '../time/use-now.ts';
import { dimensionQuery } from './dimensions.ts';

interface TotalsAsked {
  readonly filter: UsageFilter;
  readonly dimension: string;
  /** With the period of the same length right before. */
  readonly compare: boolean;
}

const MINUTE_MS = 60_000;
const VALUES_MAX = 100;

/** What each value of a dimension comes to, in as few steps as there can be. */
export function useTotals({ filter, dimension, compare }: TotalsAsked): UseQueryResult<UsageSeries> {
  const { timeZone } = useWorkspace();
  const usage = useUsageQuery(filter);
  const now = useNow(MINUTE_MS);
  const before = periodBefore(choosePeriod(filter, now, timeZone), timeZone);
  return useRead<UsageSeries>('/api/mcp/usage/series', {
    query: {
      ...usage,
      ...(compare && { compareStartDate: before.startDate, compareEndDate: before.endDate }),
      ...dimensionQuery(dimension),
      step: 'month',
      limit: VALUES_MAX,
    },
    changedBy: ['booked'],
  });
}
