import type { DeliveryShape, WebhookDetailsShape } from '../contract/webhooks.ts';
import { WEBHOOK_KINDS } from '../domain/alerts/webhook-kinds.ts';

/** A webhook and how it does, in sentences. */
export function describeWebhook(webhook: WebhookDetailsShape): string {
  const { id, name, type, events, enabled, digest, disabledReason, failingSince, signed, oldSecretUntil } = webhook;
  const lines = [
    `Webhook "${name}" (${id}, ${type.toLowerCase()}) gets ${events.join(', ')}${digest === 'weekly' ? ' and a weekly digest' : ''}.`,
  ];
  if (!enabled) lines.push(`It is disabled. ${disabledReason ?? ''}`.trim());
  if (enabled && failingSince !== null)
    lines.push(`Nothing could be delivered since ${minute(failingSince)}: tollbook webhooks deliveries ${id}`);
  if (WEBHOOK_KINDS[type].signs && !signed) lines.push(`It is not signed. Sign it: tollbook webhooks secret ${id}`);
  if (oldSecretUntil !== null) lines.push(`The secret before signs too, until ${minute(oldSecretUntil)}.`);
  return lines.join('\n');
}

function minute(time: string): string {
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** How a message went that was sent just now. */
export function describeTry({ state, attempts }: DeliveryShape): string {
  const last = attempts.at(-1);
  if (!last) return 'It is queued.';
  if (state === 'delivered') return `Delivered in ${last.ms} ms (${last.status ?? 'sent'}).`;
  return `It was not delivered: ${last.error ?? ''}${last.response === null ? '' : ` ${last.response}`}`;
}
