import type { UseQueryResult } from '@tanstack/react-query';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import type { UsageSeries } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';

/** Reads today, the month and its forecast in one request. */
export function useOverview(): UseQueryResult<OverviewShape> {
  return useRead('GET /api/mcp/usage/overview', { changedBy: ['recorded', 'alert', 'limit'] });
}

/** Reads the cost of each day of the current month. */
export function useMonthByDay(): UseQueryResult<UsageSeries> {
  const usage = useUsageQuery({ range: 'month' });
  return useRead('GET /api/mcp/usage/series', { query: { ...usage, step: 'day' }, changedBy: ['recorded'] });
}

const ALERTS_SHOWN = 4;

export function useNewestAlerts(): UseQueryResult<readonly AlertShape[]> {
  return useRead('GET /api/mcp/alerts', { query: { limit: ALERTS_SHOWN }, changedBy: ['alert'] });
}

interface MonthCoverage {
  /** Provider cost in US dollars that certainly went through Tollbook. */
  readonly passed: number;
  readonly total: number;
}

/**
 * Reads how much of the provider bills went through Tollbook this month; null = no day is reported yet, undefined = still
 * loading.
 */
export function useCoverage(monthStart: string, enabled: boolean): MonthCoverage | null | undefined {
  const { data, isPending } = useRead('GET /api/manage/reconciliation', {
    query: { startDate: monthStart },
    enabled,
  });
  if (isPending) return undefined;
  if (!data) return null;
  const parts = data.organizations.map(({ coverage }) => coverage);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  return total === 0 ? null : { passed: parts.reduce((sum, part) => sum + part.throughGateway, 0), total };
}
