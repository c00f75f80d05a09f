import type { Query } from '../api/request.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/use-now.ts';
import { type UsageFilter, usageQuery } from './usage-filter.ts';

const MINUTE_MS = 60_000;

/** The filter as the usage endpoints take it. It is another one when a day of the workspace is over. */
export function useUsageQuery(filter: UsageFilter): Query {
  const { timeZone } = useWorkspace();
  const now = useNow(MINUTE_MS);
  return usageQuery(filter, now, timeZone);
}
