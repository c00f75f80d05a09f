import { iso } from '../../core/period.ts';
import type { Webhook } from '../../storage/records/records.ts';
import type { WebhookShape } from '../contract.ts';

/** The specification's object: never with the secret. */
export function webhookView(webhook: Webhook): WebhookShape {
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    type: webhook.type,
    events: [...webhook.events],
    enabled: webhook.enabled,
    createdAt: iso(webhook.createdAt),
  };
}
