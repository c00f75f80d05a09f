import type { UseMutationResult } from '@tanstack/react-query';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

/** @param limit as it is shown: when it is raised otherwise by now, nothing is changed */
export function useEndRaise({ id, raise }: LimitShape): UseMutationResult<LimitShape, Error, void> {
  return useChange<void, LimitShape>(
    () => ({ method: 'DELETE', path: `${limitPath(id)}/raise`, body: { seen: { raise } } }),
    [LIMITS_PATH],
  );
}
