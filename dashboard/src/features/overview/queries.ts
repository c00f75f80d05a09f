import type { UseQueryResult } from '@tanstack/react-query';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import type { ReconciliationShape } from '../../../../src/contract/reconciliation.ts';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-api.ts';

/** Today, the month and what is to come of it, in one request. */
export function useOverview(): UseQueryResult<OverviewShape> {
  return useRead<OverviewShape>('/api/mcp/usage/overview', { changedBy: ['booked', 'alert', 'limit'] });
}

const ALERTS_SHOWN = 4;

export function useNewestAlerts(): UseQueryResult<readonly AlertShape[]> {
  return useRead<readonly AlertShape[]>('/api/mcp/alerts', { query: { limit: ALERTS_SHOWN }, changedBy: ['alert'] });
}

interface MonthCoverage {
  /** US dollars of providers' cost that passed the gate, of those that are known for sure. */
  readonly passed: number;
  readonly total: number;
}

/** What of the providers' own figures passed the gate this month; null = nobody can say (yet). */
export function useCoverage(monthStart: string, enabled: boolean): MonthCoverage | null {
  const { data } = useRead<ReconciliationShape>('/api/manage/reconciliation', {
    query: { startDate: monthStart },
    enabled,
  });
  if (!data) return null;
  const parts = data.organizations.map(({ coverage }) => coverage);
  const total = parts.reduce((sum, part) => sum + part.total, 0);
  return total === 0 ? null : { passed: parts.reduce((sum, part) => sum + part.passed, 0), total };
}
