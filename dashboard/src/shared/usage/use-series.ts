import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../api/use-read.ts';
import { loadBarChart } from '../chart/load-bars.ts';
import type { UsageFilter } from '../filter/usage-filter.ts';
import { useUsageQuery } from '../filter/use-usage-query.ts';
import type { TimeStep } from '../format/time.ts';
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
