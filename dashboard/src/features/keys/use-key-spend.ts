import { useMemo } from 'react';
import type { UsageSeries } from '../../../../src/api/contract.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { useUsageQuery } from '../../shared/filter/use-usage-query.ts';

const KEYS_MAX = 100;
const LAST_30_DAYS = { range: '30d' } as const;

export interface KeySpend {
  readonly cost: number;
  readonly calls: number;
}

/** What each key came to in the last 30 days, by its id; a key without a call is not among them. */
export function useKeySpend(): ReadonlyMap<string, KeySpend> {
  const usage = useUsageQuery(LAST_30_DAYS);
  const { data } = useRead<UsageSeries>('/api/mcp/usage/series', {
    query: { ...usage, by: 'key', step: 'month', limit: KEYS_MAX },
    changedBy: ['booked'],
  });
  return useMemo(() => sumByKey(data?.points ?? []), [data]);
}

function sumByKey(points: UsageSeries['points']): ReadonlyMap<string, KeySpend> {
  const sums = new Map<string, KeySpend>();
  for (const { value, cost, calls } of points) {
    if (value === null) continue;
    const sum = sums.get(value);
    sums.set(value, { cost: (sum?.cost ?? 0) + cost, calls: (sum?.calls ?? 0) + calls });
  }
  return sums;
}
