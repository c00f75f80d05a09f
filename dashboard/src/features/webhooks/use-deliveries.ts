import type { UseQueryResult } from '@tanstack/react-query';
import type { DeliveryShape } from '../../../../src/contract/webhooks.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { webhookPath } from './use-webhook.ts';

interface DeliveriesPage {
  readonly deliveries: readonly DeliveryShape[];
  readonly next: string | null;
}

/** What is sent and tried is no live event of its own. */
const DELIVERIES_POLL_MS = 5_000;

/** A page of what a webhook sent and will, newest first, with every attempt. */
export function useDeliveries(webhookId: string, before: string | undefined): UseQueryResult<DeliveriesPage> {
  return useRead<DeliveriesPage>(`${webhookPath(webhookId)}/deliveries`, {
    query: { before },
    changedBy: ['alert'],
    everyMs: DELIVERIES_POLL_MS,
  });
}
