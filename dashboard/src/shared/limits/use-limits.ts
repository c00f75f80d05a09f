import type { UseQueryResult } from '@tanstack/react-query';
import type { LimitsPage } from '../../../../src/contract/limits.ts';
import { useRead } from '../api/use-api.ts';

export const LIMITS_PATH = '/api/manage/limits';

/** Reads the first thousand limits with their current use, oldest first. */
export function useLimits(): UseQueryResult<LimitsPage> {
  return useRead('GET /api/manage/limits', { query: { values: 1 }, changedBy: ['recorded', 'limit'] });
}
