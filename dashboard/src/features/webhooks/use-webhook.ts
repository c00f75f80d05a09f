import type { UseQueryResult } from '@tanstack/react-query';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { useRead } from '../../shared/api/use-read.ts';
import { WEBHOOKS_PATH } from './use-webhooks.ts';

/** One webhook, and how its deliveries do. */
export function useWebhook(webhookId: string): UseQueryResult<WebhookDetailsShape> {
  return useRead<WebhookDetailsShape>(webhookPath(webhookId), { changedBy: ['alert'] });
}

export function webhookPath(webhookId: string): string {
  return `${WEBHOOKS_PATH}/${encodeURIComponent(webhookId)}`;
}
