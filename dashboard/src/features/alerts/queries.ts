import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { MuteShape } from '../../../../src/contract/anomalies.ts';
import type { AlertShape } from '../../../../src/contract/alerts.ts';
import { request } from '../../shared/api/request.ts';
import { useChange, useRead, useRefetch, useSingleFlightMutation } from '../../shared/api/use-api.ts';
import { useWorkspace } from '../../shared/session/session.ts';
import type { AlertsAddress } from './alerts-address.ts';
import { DAY_MS } from '../../../../src/domain/time/units.ts';

export const PAGE_SIZE = 30;

/** Reads one page of alerts, newest first. */
export function useAlerts({
  unreadOnly,
  type,
  severity,
  before,
}: AlertsAddress): UseQueryResult<readonly AlertShape[]> {
  return useRead('GET /api/mcp/alerts', {
    query: { limit: PAGE_SIZE, ...(unreadOnly && { unreadOnly: 'true' as const }), type, severity, before },
    changedBy: ['alert'],
  });
}

export function useAlert(alertId: string): UseQueryResult<AlertShape> {
  return useRead('GET /api/mcp/alerts/{id}', { params: { id: alertId }, changedBy: ['alert'] });
}

/** Marks alerts as read, one after another. */
export function useMarkRead(): UseMutationResult<void, Error, readonly string[]> {
  const { id: workspaceId } = useWorkspace();
  return useSingleFlightMutation({
    mutationFn: async (ids) => {
      for (const id of ids) await request({ route: 'POST /api/mcp/alerts/{id}/read', params: { id }, workspaceId });
    },
    onSettled: useRefetch(['/api/mcp/alerts', '/api/mcp/usage/overview']),
  });
}

const MUTES_PATH = '/api/manage/mutes';

/** Reads the mutes of the workspace. */
export function useMutes(): UseQueryResult<readonly MuteShape[]> {
  return useRead('GET /api/manage/mutes');
}

interface NewMute extends Pick<MuteShape, 'type' | 'scope' | 'reason'> {
  /** null = until the mute is removed. */
  readonly days: number | null;
}

export function useCreateMute(): UseMutationResult<MuteShape, Error, NewMute> {
  return useChange(
    'POST /api/manage/mutes',
    ({ days, ...mute }: NewMute) => ({
      body: { ...mute, until: days === null ? null : new Date(Date.now() + days * DAY_MS).toISOString() },
    }),
    [MUTES_PATH],
  );
}

export function useRemoveMute(): UseMutationResult<unknown, Error, MuteShape> {
  return useChange('DELETE /api/manage/mutes/{id}', ({ id, etag }: MuteShape) => ({ params: { id }, ifMatch: etag }), [
    MUTES_PATH,
  ]);
}
