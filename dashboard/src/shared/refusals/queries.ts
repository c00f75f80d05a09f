import type { UseQueryResult } from '@tanstack/react-query';
import type { RefusalCountsShape, RefusalsPageShape } from '../../../../src/contract/refusals.ts';
import type { RouteRequest } from '../../../../src/contract/routes.ts';
import { useRead } from '../api/use-api.ts';

/** Default period: the last 30 days, or all time of a session. */
type RefusalFilter = Pick<
  NonNullable<RouteRequest<'GET /api/mcp/refusals/counts'>['query']>,
  'limitId' | 'keyId' | 'startDate' | 'endDate'
>;

interface RefusalsAsked extends RefusalFilter {
  readonly limit: number;
  readonly session?: string;
  readonly cursor?: string | undefined;
  readonly paused?: boolean;
}

/** Reads a page of refused calls, newest first. The first page updates unless it is paused. */
export function useRefusals({ paused = false, ...query }: RefusalsAsked): UseQueryResult<RefusalsPageShape> {
  const follows = query.cursor === undefined && !paused;
  return useRead('GET /api/mcp/refusals', { query, changedBy: follows ? ['refused'] : [] });
}

/** Counts refused calls. */
export function useRefusalCounts(query: RefusalFilter): UseQueryResult<RefusalCountsShape> {
  return useRead('GET /api/mcp/refusals/counts', { query, changedBy: ['refused'] });
}
