import { iso } from '../../domain/time/period.ts';
import type { Attempt, Delivery } from '../../storage/records/delivery-records.ts';
import type { Webhook } from '../../storage/records/records.ts';
import type { DeliveryShape, WebhookDetailsShape, WebhookShape } from '../../contract/webhooks.ts';
import type { Caller } from '../http/endpoint.ts';
import { isoOrNull } from '../iso-or-null.ts';
import { managesAll } from '../permissions.ts';

/** The specification's object: never with the secret. Addresses of chat rooms are secrets themselves. */
export function webhookView(webhook: Webhook, caller: Caller): WebhookShape {
  return {
    id: webhook.id,
    name: webhook.name,
    url: managesAll(caller) ? webhook.url : withoutPath(webhook.url),
    type: webhook.type,
    events: [...webhook.events],
    enabled: webhook.enabled,
    createdAt: iso(webhook.createdAt),
  };
}

/** Who only reads sees where it leads, and can't send there. */
function withoutPath(url: string): string {
  if (!URL.canParse(url)) return '…';
  const { protocol, host } = new URL(url);
  return host === '' ? `${protocol}…` : `${protocol}//${host}/…`;
}

export function webhookDetailsView(webhook: Webhook, caller: Caller): WebhookDetailsShape {
  return {
    ...webhookView(webhook, caller),
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
