import type { UseMutationResult } from '@tanstack/react-query';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';
import { WEBHOOKS_PATH } from './use-webhooks.ts';

type WebhookChange = Readonly<Record<string, unknown>>;

export function useEditWebhook(webhookId: string): UseMutationResult<WebhookDetailsShape, Error, WebhookChange> {
  return useChange<WebhookChange, WebhookDetailsShape>(
    (body) => ({ method: 'PATCH', path: webhookPath(webhookId), body }),
    [WEBHOOKS_PATH],
  );
}
