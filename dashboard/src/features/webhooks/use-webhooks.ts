import type { UseQueryResult } from '@tanstack/react-query';
import type { WebhookShape } from '../../../../src/contract/webhooks.ts';
import { useRead } from '../../shared/api/use-read.ts';

export const WEBHOOKS_PATH = '/api/mcp/webhooks';

export function useWebhooks(): UseQueryResult<readonly WebhookShape[]> {
  return useRead<readonly WebhookShape[]>(WEBHOOKS_PATH, { changedBy: ['alert'] });
}
