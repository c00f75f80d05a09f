import {
  hashKey,
  keepPreviousData,
  useMutation,
  type UseMutationOptions,
  type UseMutationResult,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useCallback, useLayoutEffect, useRef } from 'react';
import { useWorkspace } from '../session/session.ts';
import type { LiveEvent } from './live.ts';
import { request, type RequestOptions, type RequestQuery } from './request.ts';

/**
 * A mutation that ignores repeats until its result is shown. A second click can come before the button is disabled,
 * and would create a second key whose secret is never shown.
 */
export function useSingleFlightMutation<Input, Answer = unknown>(
  options: UseMutationOptions<Answer, Error, Input>,
): UseMutationResult<Answer, Error, Input> {
  const mutation = useMutation(options);
  const { isPending, mutate } = mutation;
  const begun = useRef<string | null>(null);
  // After every rendering: a mutation may end before it was shown as pending.
  useLayoutEffect(() => {
    if (!isPending) begun.current = null;
  });
  const begin = useCallback<typeof mutate>(
    (...args) => {
      const asked = hashKey([args[0]]);
      if (begun.current === asked) return;
      begun.current = asked;
      mutate(...args);
    },
    [mutate],
  );
  return { ...mutation, mutate: begin };
}

type ChangeRequest = Pick<RequestOptions, 'method' | 'path' | 'query' | 'body'>;

/** Changes the current workspace. Afterwards, every query whose path starts with one of `touches` is refetched. */
export function useChange<Input, Answer = unknown>(
  change: (input: Input) => ChangeRequest,
  touches: readonly string[],
): UseMutationResult<Answer, Error, Input> {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return useSingleFlightMutation({
    mutationFn: (input: Input) => request<Answer>({ method: 'POST', ...change(input), workspaceId }),
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [workspace, path] }) =>
          workspace === workspaceId && touches.some((start) => String(path).startsWith(start)),
      }),
  });
}

interface ReadOptions {
  readonly query?: RequestQuery;
  /** Live events that refetch the data. */
  readonly changedBy?: readonly LiveEvent[];
  readonly enabled?: boolean;
  /** Polling interval for changes without a live event; 0 = no polling. */
  readonly everyMs?: number;
}

/** Reads a path for the current workspace. Previous data stays while another filter loads, so nothing jumps. */
export function useRead<Answer>(path: string, options: ReadOptions = {}): UseQueryResult<Answer> {
  const { id: workspaceId } = useWorkspace();
  const { query = {}, changedBy = [], enabled = true, everyMs = 0 } = options;
  return useQuery({
    queryKey: [workspaceId, path, query],
    queryFn: ({ signal }) => request<Answer>({ path, query, workspaceId, signal }),
    placeholderData: keepPreviousData,
    meta: { changedBy },
    enabled,
    refetchInterval: everyMs > 0 && everyMs,
  });
}
