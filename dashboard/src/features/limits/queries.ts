import { keepPreviousData, type UseMutationResult, useQuery } from '@tanstack/react-query';
import type { LimitPreview, LimitShape } from '../../../../src/contract/limits.ts';
import type { WrappedKeyShape } from '../../../../src/contract/keys.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useRefetch, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { type LimitDraft, toPreviewBody, toRequestBody } from './limit-draft.ts';

/** Creates or updates a limit. @param before the edited limit as read; null = a new one */
export function useSaveLimit(before: LimitShape | null): UseMutationResult<LimitShape, Error, LimitDraft> {
  const { id: workspaceId } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async (draft) => {
      const body = toRequestBody(draft);
      if (!before) return await request({ route: 'POST /api/manage/limits', body, workspaceId });
      return await request({
        route: 'PATCH /api/manage/limits/{id}',
        params: { id: before.id },
        body,
        ifMatch: before.etag,
        workspaceId,
      });
    },
    onSettled: useRefetch([LIMITS_PATH]),
  });
}

/** Reads what the limit of a draft would have done; the last preview stays until the next is read. null = none. */
export function useLimitPreview(draft: LimitDraft): LimitPreview | null {
  const { id: workspaceId } = useWorkspace();
  const body = toPreviewBody(draft);
  const { data = null, isError } = useQuery({
    queryKey: [workspaceId, `${LIMITS_PATH}/preview`, body],
    queryFn: async ({ signal }) =>
      body === null ? null : await request({ route: 'POST /api/manage/limits/preview', body, workspaceId, signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  return isError ? null : data;
}

interface RaiseRequest {
  /** Typed amount, in the unit of the limit. */
  readonly amount: string;
  /** Duration such as `4h`. */
  readonly for: string;
}

/** Raises a limit. @param limit as shown: if it has changed since, the request fails */
export function useRaiseLimit({ id, etag }: LimitShape): UseMutationResult<LimitShape, Error, RaiseRequest> {
  return useChange(
    'POST /api/manage/limits/{id}/raise',
    (body: RaiseRequest) => ({ params: { id }, body, ifMatch: etag }),
    [LIMITS_PATH],
  );
}

/** Ends a raise. @param limit as shown: if it has changed since, the request fails */
export function useEndRaise({ id, etag }: LimitShape): UseMutationResult<LimitShape, Error, void> {
  return useChange('DELETE /api/manage/limits/{id}/raise', () => ({ params: { id }, ifMatch: etag }), [LIMITS_PATH]);
}

/** Deletes a limit. @param limit as shown: if it has changed since, the request fails */
export function useRemoveLimit({ id, etag }: LimitShape): UseMutationResult<unknown, Error, void> {
  return useChange('DELETE /api/manage/limits/{id}', () => ({ params: { id }, ifMatch: etag }), [LIMITS_PATH]);
}

/** Returns wrapped keys that are not revoked, newest first. */
export function useLiveKeys(): readonly WrappedKeyShape[] {
  const { data } = useRead('GET /api/manage/keys');
  return data?.filter(({ revokedAt }) => revokedAt === null) ?? [];
}
