import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { EntriesPage, EntryDetail, EntryShape } from '../../../../src/contract/usage.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { type CallsAddress, kindQuery } from './calls-address.ts';

/** One call with everything that is known of it. */
export function useCall(callId: string): UseQueryResult<EntryDetail> {
  return useRead<EntryDetail>(`/api/mcp/entries/${encodeURIComponent(callId)}`);
}

const PAGE_SIZE = 50;

/** One page of calls, newest first. The first page follows what happens unless it is paused. */
export function useCalls({ filter, kind, find, cursor, paused }: CallsAddress): UseQueryResult<EntriesPage> {
  const usage = useUsageQuery(filter);
  const follows = cursor === undefined && !paused;
  return useRead<EntriesPage>('/api/mcp/entries', {
    query: {
      ...usage,
      ...kindQuery(kind),
      find,
      cursor,
      limit: PAGE_SIZE,
    },
    changedBy: follows ? ['booked'] : [],
  });
}

/** Says what a call of uncertain cost has cost, in dollars as they were typed. */
export function useResolveCall(callId: string): UseMutationResult<EntryShape, Error, string> {
  return useChange<string, EntryShape>(
    (costUsd) => ({ path: `/api/manage/entries/${encodeURIComponent(callId)}/resolve`, body: { costUsd } }),
    ['/api/mcp/entries', '/api/mcp/usage', '/api/manage/limits'],
  );
}
