import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useWorkspace } from '../session/session.ts';
import type { LiveEvent } from './live.ts';
import { type RequestQuery, request } from './request.ts';

interface ReadOptions {
  readonly query?: RequestQuery;
  /** Live events after which the answer is read anew. */
  readonly changedBy?: readonly LiveEvent[];
  readonly enabled?: boolean;
  /** Read anew this often too, for what no live event tells of; 0 = not. */
  readonly everyMs?: number;
}

/**
 * What the service says at this path for the workspace that is shown. While another filter is fetched, the answer
 * before stays, so that nothing jumps.
 */
export function useRead<Answer>(path: string, options: ReadOptions = {}): UseQueryResult<Answer> {
  const { id: workspaceId } = useWorkspace();
  const { query = {}, changedBy = [], enabled = true, everyMs = 0 } = options;
  return useQuery({
    queryKey: [workspaceId, path, query],
    queryFn: ({ signal }) => request<Answer>({ path, query, workspaceId, signal }),
    placeholderData: keepPreviousData,
    meta: { changedBy },
    enabled,
    refetchInterval: everyMs > 0 && everyMs,
  });
}
