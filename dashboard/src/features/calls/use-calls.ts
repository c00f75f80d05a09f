import type { UseQueryResult } from '@tanstack/react-query';
import type { EntriesPage } from '../../../../src/contract/usage.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { useUsageQuery } from '../../shared/filter/use-usage-query.ts';
import { type CallsAddress, kindQuery } from './calls-address.ts';

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
