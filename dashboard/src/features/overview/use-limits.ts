import type { UseQueryResult } from '@tanstack/react-query';
import type { LimitsPage } from '../../../../src/api/contract-limits.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** Limits and how they stand: what is left changes with every call. */
export function useLimits(): UseQueryResult<LimitsPage> {
  return useRead<LimitsPage>('/api/manage/limits', { changedBy: ['booked', 'limit'] });
}
