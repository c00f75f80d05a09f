import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type { AdminKeyShape, AskedSyncShape } from '../../../../src/contract/admin-keys.ts';
import type { BillLineShape, NewBillLineShape } from '../../../../src/contract/bill-lines.ts';
import type { CoverageShape } from '../../../../src/contract/coverage.ts';
import type { ReconciliationShape } from '../../../../src/contract/reconciliation.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import { useNow } from '../../shared/time/clock.ts';
import { choosePeriod, type PeriodChoice } from '../../shared/time/period.ts';

/** Polling interval for the sync progress: a history takes minutes. */
const PROGRESS_EVERY_MS = 10_000;
const CHANGED_BY_CONNECTIONS = ['/api/manage/admin-keys', '/api/manage/reconciliation', '/api/mcp/usage'];

/** Reads connections to organizations with their sync progress. */
export function useAdminKeys(): UseQueryResult<readonly AdminKeyShape[]> {
  return useRead('GET /api/manage/admin-keys', { everyMs: PROGRESS_EVERY_MS });
}

interface NewAdminKey {
  readonly provider: string;
  readonly name: string;
  readonly adminKey: string;
}

/** Adds a connection after its key was checked. */
export function useAddAdminKey(): UseMutationResult<AdminKeyShape, Error, NewAdminKey> {
  return useChange('POST /api/manage/admin-keys', (body: NewAdminKey) => ({ body }), CHANGED_BY_CONNECTIONS);
}

export function useSyncAdminKey(id: string): UseMutationResult<AskedSyncShape, Error, void> {
  return useChange('POST /api/manage/admin-keys/{id}/sync', () => ({ params: { id } }), CHANGED_BY_CONNECTIONS);
}

/** Replaces an admin key after the new one was checked. Synced reports stay. */
export function useReplaceAdminKey({ id, etag }: AdminKeyShape): UseMutationResult<AdminKeyShape, Error, string> {
  return useChange(
    'POST /api/manage/admin-keys/{id}/replace',
    (adminKey: string) => ({ params: { id }, body: { adminKey }, ifMatch: etag }),
    CHANGED_BY_CONNECTIONS,
  );
}

/** Pauses or resumes a connection. Synced reports stay, and a resumed sync continues. */
export function usePauseAdminKey({ id, etag }: AdminKeyShape): UseMutationResult<AdminKeyShape, Error, boolean> {
  return useChange(
    'PATCH /api/manage/admin-keys/{id}',
    (paused: boolean) => ({ params: { id }, body: { paused }, ifMatch: etag }),
    CHANGED_BY_CONNECTIONS,
  );
}

export function useRemoveAdminKey({ id, etag }: AdminKeyShape): UseMutationResult<unknown, Error, void> {
  return useChange(
    'DELETE /api/manage/admin-keys/{id}',
    () => ({ params: { id }, ifMatch: etag }),
    CHANGED_BY_CONNECTIONS,
  );
}

/** Reconciliation of one organization. */
export type ReconciledOrganization = ReconciliationShape['organizations'][number];

/** Names of the reasons; the command line uses the same. */
export type ReasonNames = ReconciliationShape['reasonNames'];

/** Reads how much of the spend of each day went through the gateway. */
export function useCoverageByDay(choice: PeriodChoice): UseQueryResult<CoverageShape> {
  const { startDate, endDate } = choosePeriod(choice, useNow(), 'UTC');
  return useRead('GET /api/manage/coverage', { query: { startDate, endDate, step: 'day' } });
}

/** Reads the reconciliation. Providers report UTC days, so periods are UTC too. */
export function useReconciliation(choice: PeriodChoice, enabled: boolean): UseQueryResult<ReconciliationShape> {
  const { startDate, endDate } = choosePeriod(choice, useNow(), 'UTC');
  return useRead('GET /api/manage/reconciliation', { query: { startDate, endDate }, enabled });
}

const CHANGED_BY_BILL_LINES = ['/api/manage/bill-lines', '/api/manage/reconciliation'];

/** Reads credits and commitments. */
export function useBillLines(): UseQueryResult<readonly BillLineShape[]> {
  return useRead('GET /api/manage/bill-lines');
}

export function useAddBillLine(): UseMutationResult<BillLineShape, Error, NewBillLineShape> {
  return useChange('POST /api/manage/bill-lines', (body: NewBillLineShape) => ({ body }), CHANGED_BY_BILL_LINES);
}

/** Deletes a credit or a commitment. @param line as shown: if it has changed since, the request fails */
export function useRemoveBillLine({ id, etag }: BillLineShape): UseMutationResult<unknown, Error, void> {
  const request = () => ({ params: { id }, ifMatch: etag });
  return useChange('DELETE /api/manage/bill-lines/{id}', request, CHANGED_BY_BILL_LINES);
}
