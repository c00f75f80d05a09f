import type { DeliveryShape, WebhookDetailsShape } from '../contract/webhooks.ts';
import { WEBHOOK_KINDS } from '../domain/alerts/webhook-kinds.ts';

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
  return `${time.slice(0, 16).replace('T', ' ')} UTC`;
}

/** Describes the result of a message that was just sent. */
export function describeTry({ state, attempts }: DeliveryShape): string {
  const last = attempts.at(-1);
  if (!last) return 'Queued.';
  if (state === 'delivered') return `Delivered in ${last.ms} ms (${last.status ?? 'sent'}).`;
  return `Not delivered: ${last.error ?? ''}${last.response === null ? '' : ` ${last.response}`}`;
}
