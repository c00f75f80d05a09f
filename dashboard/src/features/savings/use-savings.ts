import type { UseQueryResult } from '@tanstack/react-query';
import type { SavingsBreakdown, SavingsShape } from '../../../../src/contract/sync.ts';
import { useRead } from '../../shared/api/use-read.ts';
import type { SavingsAddress } from './savings-address.ts';

/** What plans bring and cost in a period. */
export function useSavings({ period, date }: SavingsAddress): UseQueryResult<SavingsShape> {
  return useRead<SavingsShape>('/api/mcp/savings', { query: { period, date } });
}

/** The same period, model by model. */
export function useSavingsBreakdown({ period, date }: SavingsAddress): UseQueryResult<SavingsBreakdown> {
  return useRead<SavingsBreakdown>('/api/mcp/savings/breakdown', { query: { period, date } });
}
