import { iso } from '../../core/period.ts';
import type { Attempt, Delivery } from '../../storage/records/delivery-records.ts';
import type { Webhook } from '../../storage/records/records.ts';
import type { DeliveryShape, WebhookDetailsShape, WebhookShape } from '../contract-webhooks.ts';
import { isoOrNull } from '../iso-or-null.ts';

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

export function webhookDetailsView(webhook: Webhook): WebhookDetailsShape {
  return {
    ...webhookView(webhook),
    digest: webhook.digest,
    signed: webhook.hasSecret,
    oldSecretUntil: isoOrNull(webhook.oldSecretUntil),
    disabledBecause: webhook.disabledBecause,
    failingSince: isoOrNull(webhook.failingSince),
  };
}

export function deliveryView(delivery: Delivery, attempts: readonly Attempt[]): DeliveryShape {
  const { id, webhookId, messageId, alertId, kind, state, createdAt, nextAt, endedAt } = delivery;
  return {
    id,
    webhookId,
    messageId,
    alertId,
    kind,
    state,
    createdAt: iso(createdAt),
    nextAttemptAt: state === 'waiting' ? iso(Math.max(nextAt, createdAt)) : null,
    endedAt: isoOrNull(endedAt),
    attempts: attempts.map(({ at, request, ...attempt }) => ({ at: iso(at), request: { ...request }, ...attempt })),
  };
}
