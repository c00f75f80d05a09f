import type { UseQueryResult } from '@tanstack/react-query';
import type { SessionDetail, SessionList } from '../../../../src/contract/sessions.ts';
import { useRead } from '../../shared/api/use-api.ts';
import { type UsageFilter, useUsageQuery } from '../../shared/filter/usage-filter.ts';

type SessionOrder = 'recent' | 'cost';

/** Reads the sessions of a period with their sums. */
export function useCallSessions(filter: UsageFilter, sort: SessionOrder, limit: number): UseQueryResult<SessionList> {
  const usage = useUsageQuery(filter);
  return useRead('GET /api/mcp/sessions', { query: { ...usage, sort, limit } });
}

/** Reads one session with its tree of agents. */
export function useCallSession(session: string): UseQueryResult<SessionDetail> {
  return useRead('GET /api/mcp/session', { query: { session }, changedBy: ['recorded'] });
}
