import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

export function useRemoveLimit(limitId: string): UseMutationResult<unknown, Error, void> {
  return useChange<void>(() => ({ method: 'DELETE', path: limitPath(limitId) }), [LIMITS_PATH]);
}
