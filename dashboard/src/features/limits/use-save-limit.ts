import type { UseMutationResult } from '@tanstack/react-query';
import type { LimitShape } from '../../../../src/api/contract-limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { bodyOf, type LimitDraft } from './limit-draft.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

/** Makes a limit, or changes the one with this id. */
export function useSaveLimit(limitId: string | null): UseMutationResult<LimitShape, Error, LimitDraft> {
  return useChange<LimitDraft, LimitShape>(
    (draft) => ({
      method: limitId === null ? 'POST' : 'PATCH',
      path: limitId === null ? LIMITS_PATH : limitPath(limitId),
      body: bodyOf(draft),
    }),
    [LIMITS_PATH],
  );
}
