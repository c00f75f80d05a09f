import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { EntriesPage, EntryDetail, EntryShape } from '../../../../src/contract/entries.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import { useUsageQuery } from '../../shared/filter/usage-filter.ts';
import { type CallsAddress, kindQuery } from './calls-address.ts';

/** Reads one call with all details. */
export function useCall(callId: string): UseQueryResult<EntryDetail> {
  return useRead('GET /api/mcp/entries/{callId}', { params: { callId } });
}

const PAGE_SIZE = 50;

/** Reads one page of calls, newest first. The first page updates live unless it is paused. */
export function useCalls({ filter, kind, find, cursor, paused }: CallsAddress): UseQueryResult<EntriesPage> {
  const usage = useUsageQuery(filter);
  const follows = cursor === undefined && !paused;
  return useRead('GET /api/mcp/entries', {
    query: {
      ...usage,
      ...kindQuery(kind),
      find,
      cursor,
      limit: PAGE_SIZE,
    },
    changedBy: follows ? ['recorded'] : [],
  });
}

/** Sets the actual cost of an uncertain call, in dollars as typed. */
export function useResolveCall(callId: string): UseMutationResult<EntryShape, Error, string> {
  return useChange(
    'POST /api/manage/entries/{callId}/resolve',
    (costUsd: string) => ({ params: { callId }, body: { costUsd } }),
    ['/api/mcp/entries', '/api/mcp/usage', '/api/manage/limits'],
  );
}
