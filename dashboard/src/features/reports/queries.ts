import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AdminKeyShape, AskedSyncShape } from '../../../../src/contract/admin-keys.ts';
import type { ReconciliationShape } from '../../../../src/contract/reconciliation.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import { useNow } from '../../shared/time/clock.ts';
import { choosePeriod, type PeriodChoice } from '../../shared/time/period.ts';

/** A history is read in minutes: so often its progress is looked at. */
const PROGRESS_EVERY_MS = 10_000;
const ADMIN_KEYS_PATH = '/api/manage/admin-keys';
const CHANGED_BY_CONNECTIONS = [ADMIN_KEYS_PATH, '/api/manage/reconciliation', '/api/mcp/usage'];

/** Connections to organizations, with how far their reports were read. */
export function useAdminKeys(): UseQueryResult<readonly AdminKeyShape[]> {
  return useRead<readonly AdminKeyShape[]>(ADMIN_KEYS_PATH, { everyMs: PROGRESS_EVERY_MS });
}

interface NewAdminKey {
  readonly provider: string;
  readonly name: string;
  readonly adminKey: string;
}

/** It is tried out before anything is kept. */
export function useAddAdminKey(): UseMutationResult<AdminKeyShape, Error, NewAdminKey> {
  return useChange<NewAdminKey, AdminKeyShape>((body) => ({ path: ADMIN_KEYS_PATH, body }), CHANGED_BY_CONNECTIONS);
}

export function useSyncAdminKey(id: string): UseMutationResult<AskedSyncShape, Error, void> {
  return useChange<void, AskedSyncShape>(() => ({ path: `${adminKeyPath(id)}/sync` }), CHANGED_BY_CONNECTIONS);
}

/** It is tried out first; what was read stays. */
export function useReplaceAdminKey(id: string): UseMutationResult<AdminKeyShape, Error, string> {
  return useChange<string, AdminKeyShape>(
    (adminKey) => ({ path: `${adminKeyPath(id)}/replace`, body: { adminKey } }),
    CHANGED_BY_CONNECTIONS,
  );
}

/** What was read stays; one that is resumed goes on where it was. */
export function usePauseAdminKey(id: string): UseMutationResult<AdminKeyShape, Error, boolean> {
  return useChange<boolean, AdminKeyShape>(
    (paused) => ({ method: 'PATCH', path: adminKeyPath(id), body: { paused } }),
    CHANGED_BY_CONNECTIONS,
  );
}

export function useRemoveAdminKey(id: string): UseMutationResult<unknown, Error, void> {
  return useChange<void>(() => ({ method: 'DELETE', path: adminKeyPath(id) }), CHANGED_BY_CONNECTIONS);
}

function adminKeyPath(id: string): string {
  return `${ADMIN_KEYS_PATH}/${encodeURIComponent(id)}`;
}

const NOW_REFRESH_MS = 60_000;

/** Book and bill of one organization. */
export type ReconciledOrganization = ReconciliationShape['organizations'][number];

/** How each reason is called: the terminal calls it so too. */
export type ReasonNames = ReconciliationShape['reasonNames'];

/** Book and providers' reports beside each other. Providers report days of UTC, so that periods are of UTC too. */
export function useReconciliation(choice: PeriodChoice, enabled: boolean): UseQueryResult<ReconciliationShape> {
  const { startDate, endDate } = choosePeriod(choice, useNow(NOW_REFRESH_MS), 'UTC');
  return useRead<ReconciliationShape>('/api/manage/reconciliation', { query: { startDate, endDate }, enabled });
}
