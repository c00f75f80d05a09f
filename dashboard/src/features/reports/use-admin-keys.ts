import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AdminKeyShape, AskedSyncShape } from '../../../../src/contract/admin-keys.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { useRead } from '../../shared/api/use-read.ts';

/** A history is read in minutes: so often its progress is looked at. */
const PROGRESS_EVERY_MS = 10_000;
const PATH = '/api/manage/admin-keys';
const TOUCHED = [PATH, '/api/manage/reconciliation', '/api/mcp/usage'];

/** Connections to organizations, with how far their reports were read. */
export function useAdminKeys(): UseQueryResult<readonly AdminKeyShape[]> {
  return useRead<readonly AdminKeyShape[]>(PATH, { everyMs: PROGRESS_EVERY_MS });
}

export interface NewAdminKey {
  readonly provider: string;
  readonly name: string;
  readonly adminKey: string;
}

/** It is tried out before anything is kept. */
export function useAddAdminKey(): UseMutationResult<AdminKeyShape, Error, NewAdminKey> {
  return useChange<NewAdminKey, AdminKeyShape>((body) => ({ path: PATH, body }), TOUCHED);
}

export function useSyncAdminKey(id: string): UseMutationResult<AskedSyncShape, Error, void> {
  return useChange<void, AskedSyncShape>(() => ({ path: `${pathOf(id)}/sync` }), TOUCHED);
}

/** It is tried out first; what was read stays. */
export function useReplaceAdminKey(id: string): UseMutationResult<AdminKeyShape, Error, string> {
  return useChange<string, AdminKeyShape>(
    (adminKey) => ({ path: `${pathOf(id)}/replace`, body: { adminKey } }),
    TOUCHED,
  );
}

/** What was read stays; one that is resumed goes on where it was. */
export function usePauseAdminKey(id: string): UseMutationResult<AdminKeyShape, Error, boolean> {
  return useChange<boolean, AdminKeyShape>(
    (paused) => ({ method: 'PATCH', path: pathOf(id), body: { paused } }),
    TOUCHED,
  );
}

export function useRemoveAdminKey(id: string): UseMutationResult<unknown, Error, void> {
  return useChange<void>(() => ({ method: 'DELETE', path: pathOf(id) }), TOUCHED);
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
