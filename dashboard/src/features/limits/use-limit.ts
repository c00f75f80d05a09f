import type { UseQueryResult } from '@tanstack/react-query';
import type { LimitStanding } from '../../../../src/contract/limits.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

const LIMIT_VALUES_MAX = 100;
/** What calls under way hold changes without an event. */
const LIMIT_POLL_MS = 5_000;

/** One limit, how it stands, and of a limit on each value the fullest ones. */
export function useLimit(limitId: string): UseQueryResult<LimitStanding> {
  return useRead<LimitStanding>(limitPath(limitId), {
    query: { values: LIMIT_VALUES_MAX },
    changedBy: ['booked', 'limit'],
    everyMs: LIMIT_POLL_MS,
  });
}

export function limitPath(limitId: string): string {
  return `${LIMITS_PATH}/${encodeURIComponent(limitId)}`;
}
