import { type UseMutationResult, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import type { AlertShape } from '../../../../src/contract/usage.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import type { AlertsAddress } from './alerts-address.ts';

const ALERTS_PATH = '/api/mcp/alerts';
export const PAGE_SIZE = 30;

/** Reads one page of alerts, newest first. */
export function useAlerts({
  unreadOnly,
  type,
  severity,
  before,
}: AlertsAddress): UseQueryResult<readonly AlertShape[]> {
  return useRead<readonly AlertShape[]>(ALERTS_PATH, {
    query: { limit: PAGE_SIZE, ...(unreadOnly && { unreadOnly }), type, severity, before },
    changedBy: ['alert'],
  });
}

export function useAlert(alertId: string): UseQueryResult<AlertShape> {
  return useRead<AlertShape>(`${ALERTS_PATH}/${encodeURIComponent(alertId)}`, { changedBy: ['alert'] });
}

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

const MUTES_PATH = '/api/manage/mutes';

/** Reads the mutes of the workspace. */
export function useMutes(): UseQueryResult<readonly MuteShape[]> {
  return useRead<readonly MuteShape[]>(MUTES_PATH);
}

const DAY_MS = 86_400_000;

interface NewMute extends Pick<MuteShape, 'type' | 'scope' | 'reason'> {
  /** null = until the mute is removed. */
  readonly days: number | null;
}

export function useCreateMute(): UseMutationResult<MuteShape, Error, NewMute> {
  return useChange<NewMute, MuteShape>(
    ({ days, ...mute }) => ({
      path: MUTES_PATH,
      body: { ...mute, until: days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString() },
    }),
    [MUTES_PATH],
  );
}

export function useRemoveMute(): UseMutationResult<unknown, Error, string> {
  return useChange<string>(
    (id) => ({ method: 'DELETE', path: `${MUTES_PATH}/${encodeURIComponent(id)}` }),
    [MUTES_PATH],
  );
}
