import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';
import { WEBHOOKS_PATH } from './use-webhooks.ts';

export function useRemoveWebhook(webhookId: string): UseMutationResult<unknown, Error, void> {
  return useChange<void>(() => ({ method: 'DELETE', path: webhookPath(webhookId) }), [WEBHOOKS_PATH]);
}
