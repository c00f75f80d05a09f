import type { UseQueryResult } from '@tanstack/react-query';
import type { LimitsPage, LimitStanding } from '../../../../src/contract/limits.ts';
import { useRead } from '../api/use-api.ts';

export const LIMITS_PATH = '/api/manage/limits';

/** Reads the first thousand limits with their current use, oldest first. */
export function useLimits(): UseQueryResult<LimitsPage> {
  return useRead('GET /api/manage/limits', { query: { values: 1 }, changedBy: ['recorded', 'limit'] });
}

const LIMIT_VALUES_MAX = 100;
/** Holds of running calls change without a live event. */
const LIMIT_POLL_MS = 5_000;

/** Reads one limit with its current use; for a limit on each value, the values with the highest use. */
export function useLimit(limitId: string): UseQueryResult<LimitStanding> {
  return useRead('GET /api/manage/limits/{id}', {
    params: { id: limitId },
    query: { values: LIMIT_VALUES_MAX },
    changedBy: ['recorded', 'limit'],
    everyMs: LIMIT_POLL_MS,
  });
}
