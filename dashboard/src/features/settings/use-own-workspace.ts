import { type UseMutationResult, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import type { WorkspaceShape } from '../../../../src/contract/usage.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { accountQuery } from '../../shared/session/account.ts';

/** The workspace that is shown, with its settings: a person sees no other in this list. */
export function useOwnWorkspace(): UseQueryResult<readonly WorkspaceShape[]> {
  return useRead<readonly WorkspaceShape[]>('/api/manage/workspaces');
}

type WorkspaceFields = Pick<WorkspaceShape, 'name' | 'timeZone' | 'retentionDays'>;

interface WorkspaceChange extends WorkspaceFields {
  /** As it was read: when it is another by now, nothing is changed. */
  readonly seen: WorkspaceFields;
}

export function useUpdateWorkspace(id: string): UseMutationResult<WorkspaceShape, Error, WorkspaceChange> {
  return useChange<WorkspaceChange, WorkspaceShape>(
    (body) => ({ method: 'PATCH', path: `/api/manage/workspaces/${encodeURIComponent(id)}`, body }),
    ['/api/'],
  );
}

/** Reads anew what stands in the frame of every page: names and zones of workspaces. */
export function useRenewAccount(): () => void {
  const client = useQueryClient();
  return () => void client.invalidateQueries({ queryKey: accountQuery.queryKey });
}
