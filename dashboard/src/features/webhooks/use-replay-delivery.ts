import type { UseMutationResult } from '@tanstack/react-query';
import { useChange } from '../../shared/api/use-change.ts';
import { webhookPath } from './use-webhook.ts';

/** Sends one delivery again, under the same message id. */
export function useReplayDelivery(webhookId: string): UseMutationResult<unknown, Error, string> {
  const path = webhookPath(webhookId);
  return useChange<string>((id) => ({ path: `${path}/deliveries/${encodeURIComponent(id)}/replay` }), [path]);
}
