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
 * What a person asks for by a button or by Enter. Until its end is shown, the same is not begun again: a second press
 * comes sooner than the page can disable its button, and would make two of what is made, the first one's secret unseen.
 */
export function useSingleFlightMutation<Input, Answer = unknown>(
  options: UseMutationOptions<Answer, Error, Input>,
): UseMutationResult<Answer, Error, Input> {
  const mutation = useMutation(options);
  const { isPending, mutate } = mutation;
  const begun = useRef<string | null>(null);
  // After every rendering: what ends before it was ever shown as under way has ended too.
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

/**
 * A change in the workspace that is shown. When it is done, everything whose path begins with one of `touches` is read
 * anew, so that a page never shows what was before.
 */
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
  /** Live events after which the answer is read anew. */
  readonly changedBy?: readonly LiveEvent[];
  readonly enabled?: boolean;
  /** Read anew this often too, for what no live event tells of; 0 = not. */
  readonly everyMs?: number;
}

/**
 * What the service says at this path for the workspace that is shown. While another filter is fetched, the answer
 * before stays, so that nothing jumps.
 */
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
