import type { RequestQuery } from '../api/request.ts';
import { useWorkspace } from '../session/session.ts';
import { useNow } from '../time/use-now.ts';
import { type UsageFilter, toUsageQuery } from './usage-filter.ts';

const NOW_REFRESH_MS = 60_000;

/** The filter as the usage endpoints take it. It is another one when a day of the workspace is over. */
export function useUsageQuery(filter: UsageFilter): RequestQuery {
  const { timeZone } = useWorkspace();
  const now = useNow(NOW_REFRESH_MS);
  return toUsageQuery(filter, now, timeZone);
}
