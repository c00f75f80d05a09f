import { useMemo } from 'react';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { OTHER_VALUES } from '../../shared/chart/stack.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import type { CostSum } from '../../shared/usage/cost-sum.ts';

const KEYS_MAX = 100;
const LAST_30_DAYS = { range: '30d' } as const;

export interface KeySpend extends CostSum {
  readonly calls: number;
}

/** Returns the spend of a key; null = not loaded, or summed with other small keys. */
export type KeySpendLookup = (keyId: string) => KeySpend | null;

/** Reads the spend of the most expensive keys in the last 30 days. */
export function useKeySpend(): KeySpendLookup {
  const usage = useUsageQuery(LAST_30_DAYS);
  const { data } = useRead('GET /api/mcp/usage/series', {
    query: { ...usage, by: 'key', step: 'month', limit: KEYS_MAX },
    changedBy: ['recorded'],
  });
  return useMemo(() => sumSpendByKey(data?.points ?? null), [data]);
}

/** Reads the spend of one key in the last 30 days; null = not loaded yet. */
export function useSpendOfKey(keyId: string): KeySpend | null {
  const usage = useUsageQuery(LAST_30_DAYS);
  const { data } = useRead('GET /api/mcp/usage/series', {
    query: { ...usage, keyId, by: 'key', step: 'month' },
    changedBy: ['recorded'],
  });
  return useMemo(() => sumSpendByKey(data?.points ?? null)(keyId), [data, keyId]);
}

/** Sums usage points by key. @param points null = not loaded yet */
export function sumSpendByKey(points: readonly KeyUsagePoint[] | null): KeySpendLookup {
  if (points === null) return () => null;
  const sums = new Map<string, KeySpend>();
  for (const { value, cost, calls, unpricedCalls = 0 } of points) {
    if (value === null) continue;
    const sum = sums.get(value);
    sums.set(value, {
      cost: (sum?.cost ?? 0) + cost,
      calls: (sum?.calls ?? 0) + calls,
      unpricedCalls: (sum?.unpricedCalls ?? 0) + unpricedCalls,
    });
  }
  // Without a sum of other keys, a key that is not listed had no calls.
  const unlisted = sums.has(OTHER_VALUES) ? null : { cost: 0, calls: 0 };
  return (keyId) => sums.get(keyId) ?? unlisted;
}

type KeyUsagePoint = Pick<UsageSeries['points'][number], 'value' | 'cost' | 'calls' | 'unpricedCalls'>;
