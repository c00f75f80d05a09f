import type { UseMutationResult } from '@tanstack/react-query';
import type { LimitShape } from '../../../../src/api/contract-limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

export function useEndRaise(limitId: string): UseMutationResult<LimitShape, Error, void> {
  return useChange<void, LimitShape>(() => ({ method: 'DELETE', path: `${limitPath(limitId)}/raise` }), [LIMITS_PATH]);
}
