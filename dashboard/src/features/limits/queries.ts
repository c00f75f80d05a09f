import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { LimitShape, LimitStanding, RefusedCallsShape } from '../../../../src/contract/limits.ts';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';
import { type LimitDraft, toRequestBody, toSeenLimit } from './limit-draft.ts';

const LIMIT_VALUES_MAX = 100;
/** What calls under way hold changes without an event. */
const LIMIT_POLL_MS = 5_000;

/** One limit, how it stands, and of a limit on each value the fullest ones. */
export function useLimit(limitId: string): UseQueryResult<LimitStanding> {
  return useRead<LimitStanding>(limitPath(limitId), {
    query: { values: LIMIT_VALUES_MAX },
    changedBy: ['booked', 'limit'],
    everyMs: LIMIT_POLL_MS,
  });
}

function limitPath(limitId: string): string {
  return `${LIMITS_PATH}/${encodeURIComponent(limitId)}`;
}

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

interface RaiseRequest {
  /** As it was typed, in the unit of the limit. */
  readonly amount: string;
  /** A duration from now on, such as `4h`. */
  readonly for: string;
  /** As it was read: when it is another by now, nothing is changed. */
  readonly seen: Pick<LimitShape, 'unit' | 'amount' | 'raise'>;
}

export function useRaiseLimit(limitId: string): UseMutationResult<LimitShape, Error, RaiseRequest> {
  return useChange<RaiseRequest, LimitShape>((body) => ({ path: `${limitPath(limitId)}/raise`, body }), [LIMITS_PATH]);
}

/** @param limit as it is shown: when it is raised otherwise by now, nothing is changed */
export function useEndRaise({ id, raise }: LimitShape): UseMutationResult<LimitShape, Error, void> {
  return useChange<void, LimitShape>(
    () => ({ method: 'DELETE', path: `${limitPath(id)}/raise`, body: { seen: { raise } } }),
    [LIMITS_PATH],
  );
}

/** @param limit as it was shown: when it is another by now, it stays */
export function useRemoveLimit(limit: LimitShape): UseMutationResult<unknown, Error, void> {
  const seen = { ...toSeenLimit(limit), raise: limit.raise };
  return useChange<void>(() => ({ method: 'DELETE', path: limitPath(limit.id), body: { seen } }), [LIMITS_PATH]);
}

/** What is refused is no event of its own. */
const REFUSALS_POLL_MS = 5_000;

/** Whom a limit refused lately, the newest first. */
export function useRefusals(limitId: string): UseQueryResult<RefusedCallsShape> {
  return useRead<RefusedCallsShape>(`${limitPath(limitId)}/refusals`, { everyMs: REFUSALS_POLL_MS });
}

/** Wrapped keys that are not revoked, newest first. */
export function useLiveKeys(): readonly WrappedKeyShape[] {
  const { data } = useRead<readonly WrappedKeyShape[]>('/api/manage/keys');
  return data?.filter(({ revokedAt }) => revokedAt === null) ?? [];
}
