import type { UseMutationResult } from '@tanstack/react-query';
import type { WebhookDetailsShape } from '../../../../src/contract/webhooks.ts';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';
import { WEBHOOKS_PATH } from './use-webhooks.ts';

/** @param webhook as it was shown: when it is another by now, it stays */
export function useRemoveWebhook(webhook: WebhookDetailsShape): UseMutationResult<unknown, Error, void> {
  const { id, name, url, events, digest, enabled } = webhook;
  return useChange<void>(
    () => ({ method: 'DELETE', path: webhookPath(id), body: { seen: { name, url, events, digest, enabled } } }),
    [WEBHOOKS_PATH],
  );
}
