import type { WebhookDetailsShape } from '../contract/webhooks.ts';
import { WEBHOOK_KINDS } from '../domain/alerts/webhook-kinds.ts';
import { formatDateTime } from '../domain/text/dates.ts';

/** A webhook and how it does, in sentences. */
export function describeWebhook(webhook: WebhookDetailsShape): string {
  const { id, name, type, events, enabled, digest, disabledReason, failingSince, signed, oldSecretUntil } = webhook;
  const lines = [
    `Webhook "${name}" (${id}, ${type.toLowerCase()}) gets ${events.join(', ')}${digest === 'weekly' ? ' and a weekly digest' : ''}.`,
  ];
  if (!enabled) lines.push(`Disabled. ${disabledReason ?? ''}`.trim());
  if (enabled && failingSince !== null)
    lines.push(`Deliveries fail since ${minute(failingSince)}: tollbook webhooks deliveries ${id}`);
  if (WEBHOOK_KINDS[type].signs && !signed) lines.push(`Not signed. To sign: tollbook webhooks secret ${id}`);
  if (oldSecretUntil !== null) lines.push(`The old secret also signs until ${minute(oldSecretUntil)}.`);
  return lines.join('\n');
}

function minute(time: string): string {
  return `${formatDateTime(time, 'UTC')} UTC`;
}
