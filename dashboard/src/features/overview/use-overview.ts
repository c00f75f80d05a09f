import type { UseQueryResult } from '@tanstack/react-query';
import type { OverviewShape } from '../../../../src/contract/overview.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** Today, the month and what is to come of it, in one request. */
export function useOverview(): UseQueryResult<OverviewShape> {
  return useRead<OverviewShape>('/api/mcp/usage/overview', { changedBy: ['booked', 'alert', 'limit'] });
}
