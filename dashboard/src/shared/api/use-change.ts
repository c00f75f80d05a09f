import { useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { useWorkspace } from '../session/session.ts';
import { type RequestOptions, request } from './request.ts';
import { useSingleFlightMutation } from './use-deed.ts';

export type ChangeRequest = Pick<RequestOptions, 'method' | 'path' | 'query' | 'body'>;

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
