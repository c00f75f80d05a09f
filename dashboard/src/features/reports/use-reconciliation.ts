import type { UseQueryResult } from '@tanstack/react-query';
import type { ReconciliationShape } from '../../../../src/contract/reconciliation.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { choosePeriod, type PeriodChoice } from '../../shared/time/period.ts';
import { useNow } from '../../shared/time/use-now.ts';

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
