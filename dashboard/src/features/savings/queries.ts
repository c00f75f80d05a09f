import type { UseMutationResult, UseQueryResult } from '@tanstack/react-query';
import type {
  ManagedSubscription,
  PlanShape,
  SavingsBreakdown,
  SavingsShape,
  SubscriptionShape,
} from '../../../../src/contract/sync.ts';
import { useChange, useRead } from '../../shared/api/use-api.ts';
import type { SavingsAddress } from './savings-address.ts';

/** Reads the savings of plans in a period. */
export function useSavings({ period, date }: SavingsAddress): UseQueryResult<SavingsShape> {
  return useRead('GET /api/mcp/savings', { query: { period, date } });
}

/** Reads the usage of the same period by model. */
export function useSavingsBreakdown({ period, date }: SavingsAddress): UseQueryResult<SavingsBreakdown> {
  return useRead('GET /api/mcp/savings/breakdown', { query: { period, date } });
}

const CHANGED_BY_SUBSCRIPTIONS = [
  '/api/manage/subscriptions',
  '/api/mcp/subscriptions',
  '/api/mcp/savings',
  '/api/mcp/usage',
];

/** Reads all subscriptions, including ended ones. */
export function useSubscriptions(): UseQueryResult<readonly ManagedSubscription[]> {
  return useRead('GET /api/manage/subscriptions');
}

/** Reads known plans with their list prices. */
export function usePlans(): UseQueryResult<readonly PlanShape[]> {
  return useRead('GET /api/mcp/plans');
}

export interface NewSubscription {
  readonly plan: string;
  readonly name?: string;
  readonly provider?: 'anthropic' | 'openai';
  /** US dollars per seat, as typed; absent = list price. */
  readonly monthlyCost?: string;
  readonly seats: number;
  readonly startedAt?: string;
}

export function useAddSubscription(): UseMutationResult<SubscriptionShape, Error, NewSubscription> {
  return useChange('POST /api/manage/subscriptions', (body: NewSubscription) => ({ body }), CHANGED_BY_SUBSCRIPTIONS);
}

/** Ends a subscription today. @param subscription as shown: if it has changed since, the request fails */
export function useEndSubscription({
  id,
  etag,
}: ManagedSubscription): UseMutationResult<SubscriptionShape, Error, void> {
  return useChange(
    'POST /api/manage/subscriptions/{id}/end',
    () => ({ params: { id }, body: {}, ifMatch: etag }),
    CHANGED_BY_SUBSCRIPTIONS,
  );
}
