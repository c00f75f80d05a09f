import { useQueryClient, type UseMutationResult } from '@tanstack/react-query';
import { request } from '../../shared/api/request.ts';
import { useSingleFlightMutation } from '../../shared/api/use-deed.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import { ALERTS_PATH } from './use-alerts.ts';

/** Marks alerts as read, one after another. */
export function useMarkRead(): UseMutationResult<void, Error, readonly string[]> {
  const { id: workspaceId } = useWorkspace();
  const client = useQueryClient();
  return useSingleFlightMutation({
    mutationFn: async (ids) => {
      for (const id of ids)
        await request({ method: 'POST', path: `${ALERTS_PATH}/${encodeURIComponent(id)}/read`, workspaceId });
    },
    onSettled: () =>
      client.invalidateQueries({
        predicate: ({ queryKey: [workspace, path] }) =>
          workspace === workspaceId && /^\/api\/mcp\/(alerts|usage\/overview)/.test(String(path)),
      }),
  });
}
