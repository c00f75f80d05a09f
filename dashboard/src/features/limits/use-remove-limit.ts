import type { UseMutationResult } from '@tanstack/react-query';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { toSeenLimit } from './limit-draft.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

/** @param limit as it was shown: when it is another by now, it stays */
export function useRemoveLimit(limit: LimitShape): UseMutationResult<unknown, Error, void> {
  const seen = { ...toSeenLimit(limit), raise: limit.raise };
  return useChange<void>(() => ({ method: 'DELETE', path: limitPath(limit.id), body: { seen } }), [LIMITS_PATH]);
}
