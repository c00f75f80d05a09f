import type { UseMutationResult } from '@tanstack/react-query';
import type { LimitShape } from '../../../../src/contract/limits.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { toRequestBody, type LimitDraft, toSeenLimit } from './limit-draft.ts';
import { limitPath } from './use-limit.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';

/** Makes a limit, or changes one. @param before the one that is changed, as it was read; null = a new one */
export function useSaveLimit(before: LimitShape | null): UseMutationResult<LimitShape, Error, LimitDraft> {
  return useChange<LimitDraft, LimitShape>(
    (draft) => ({
      method: before ? 'PATCH' : 'POST',
      path: before ? limitPath(before.id) : LIMITS_PATH,
      body: { ...toRequestBody(draft), ...(before && { seen: toSeenLimit(before) }) },
    }),
    [LIMITS_PATH],
  );
}
