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
import type { PathParameters, RouteResponse, RouteKey, RouteRequest } from '../../../../src/contract/routes.ts';
import { useWorkspace } from '../session/session.ts';
import type { LiveEvent } from './live.ts';
import { pollEvery } from './query-client.ts';
import { addRoute, buildPath, request, type RequestQuery } from './request.ts';

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

/** Changes the current workspace through a route. Afterwards, `touches` is refetched as `useRefetch` says. */
export function useChange<Key extends RouteKey, Input = void>(
  route: Key,
  toRequest: (input: Input) => RouteRequest<Key>,
  touches: readonly string[],
): UseMutationResult<RouteResponse<Key>, Error, Input> {
  const { id: workspaceId } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: (input: Input) => request(addRoute(route, toRequest(input), { workspaceId })),
    onSettled: useRefetch(touches),
  });
}

/** Returns a function that refetches every query of the workspace whose path starts with one of `touches`. */
export function useRefetch(touches: readonly string[]): () => Promise<void> {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return () =>
    client.invalidateQueries({
      predicate: ({ queryKey: [workspace, path] }) =>
        workspace === workspaceId && touches.some((start) => String(path).startsWith(start)),
    });
}

interface ReadOptions {
  /** Live events that refetch the data. */
  readonly changedBy?: readonly LiveEvent[];
  readonly enabled?: boolean;
  /** Polling interval for changes without a live event; 0 = no polling. */
  readonly everyMs?: number;
}

type ReadRoute = Extract<RouteKey, `GET ${string}`>;

/** Options may be left out for a route that needs no parameters. */
type ReadArguments<Key extends ReadRoute> =
  Partial<RouteRequest<Key>> extends RouteRequest<Key>
    ? [options?: ReadOptions & RouteRequest<Key>]
    : [options: ReadOptions & RouteRequest<Key>];

interface UntypedRead extends ReadOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: RequestQuery;
}

/** Reads a route for the current workspace. Previous data stays while another filter loads, so nothing jumps. */
export function useRead<Key extends ReadRoute>(
  route: Key,
  ...[options]: ReadArguments<Key>
): UseQueryResult<RouteResponse<Key>> {
  const { id: workspaceId } = useWorkspace();
  const { changedBy = [], enabled = true, everyMs = 0, params = {}, query = {} } = (options ?? {}) as UntypedRead;
  return useQuery({
    queryKey: [workspaceId, buildPath(route, params as PathParameters<Key>), query],
    queryFn: ({ signal }) =>
      request(addRoute(route, { params, query } as unknown as RouteRequest<Key>, { workspaceId, signal })),
    placeholderData: keepPreviousData,
    meta: { changedBy },
    enabled,
    refetchInterval: pollEvery(everyMs),
  });
}
