import type { UseMutationResult } from '@tanstack/react-query';
import type { DeliveryShape } from '../../../../src/contract/webhooks.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';

export function useTestWebhook(webhookId: string): UseMutationResult<DeliveryShape, Error, void> {
  const path = webhookPath(webhookId);
  return useChange<void, DeliveryShape>(() => ({ path: `${path}/test` }), [path]);
}
