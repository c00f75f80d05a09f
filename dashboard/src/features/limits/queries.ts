import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { LimitShape, LimitStanding, RefusedCallsShape } from '../../../../src/contract/limits.ts';
import type { WrappedKeyShape } from '../../../../src/contract/usage.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import { LIMITS_PATH } from '../../shared/limits/use-limits.ts';
import { type LimitDraft, toRequestBody, toSeenLimit } from './limit-draft.ts';

const LIMIT_VALUES_MAX = 100;
/** Holds of running calls change without a live event. */
const LIMIT_POLL_MS = 5_000;

/** Reads one limit with its current use; for a limit on each value, the values with the highest use. */
export function useLimit(limitId: string): UseQueryResult<LimitStanding> {
  return useRead<LimitStanding>(limitPath(limitId), {
    query: { values: LIMIT_VALUES_MAX },
    changedBy: ['recorded', 'limit'],
    everyMs: LIMIT_POLL_MS,
  });
}

function limitPath(limitId: string): string {
  return `${LIMITS_PATH}/${encodeURIComponent(limitId)}`;
}

/** Creates or updates a limit. @param before the edited limit as read; null = a new one */
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
  /** Typed amount, in the unit of the limit. */
  readonly amount: string;
  /** Duration such as `4h`. */
  readonly for: string;
  /** The values as read: if they have changed since, the raise fails. */
  readonly seen: Pick<LimitShape, 'unit' | 'amount' | 'raise'>;
}

export function useRaiseLimit(limitId: string): UseMutationResult<LimitShape, Error, RaiseRequest> {
  return useChange<RaiseRequest, LimitShape>((body) => ({ path: `${limitPath(limitId)}/raise`, body }), [LIMITS_PATH]);
}

/** Ends a raise. @param limit as shown: if the raise has changed since, the request fails */
export function useEndRaise({ id, raise }: LimitShape): UseMutationResult<LimitShape, Error, void> {
  return useChange<void, LimitShape>(
    () => ({ method: 'DELETE', path: `${limitPath(id)}/raise`, body: { seen: { raise } } }),
    [LIMITS_PATH],
  );
}

/** Deletes a limit. @param limit as shown: if it has changed since, the request fails */
export function useRemoveLimit(limit: LimitShape): UseMutationResult<unknown, Error, void> {
  const seen = { ...toSeenLimit(limit), raise: limit.raise };
  return useChange<void>(() => ({ method: 'DELETE', path: limitPath(limit.id), body: { seen } }), [LIMITS_PATH]);
}

/** Refusals send no live event. */
const REFUSALS_POLL_MS = 5_000;

/** Reads the newest calls that a limit refused. */
export function useRefusals(limitId: string): UseQueryResult<RefusedCallsShape> {
  return useRead<RefusedCallsShape>(`${limitPath(limitId)}/refusals`, { everyMs: REFUSALS_POLL_MS });
}

/** Returns wrapped keys that are not revoked, newest first. */
export function useLiveKeys(): readonly WrappedKeyShape[] {
  const { data } = useRead<readonly WrappedKeyShape[]>('/api/manage/keys');
  return data?.filter(({ revokedAt }) => revokedAt === null) ?? [];
}
