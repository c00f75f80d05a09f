import { z } from 'zod';
import { etag, time } from './fields.ts';
import { ALERT_TYPES } from '../domain/alerts/alert.ts';
import { DIGESTS } from '../domain/alerts/webhook.ts';
import { WEBHOOK_TYPES } from '../domain/alerts/webhook-kinds.ts';

export const webhook = z
  .object({
    id: z.string(),
    name: z.string(),
    url: z.string(),
    type: z.enum(WEBHOOK_TYPES),
    events: z.array(z.enum(ALERT_TYPES)),
    enabled: z.boolean(),
    createdAt: time,
  })
  .meta({ id: 'Webhook' });
export type WebhookShape = z.output<typeof webhook>;

/** Item of `GET /api/mcp/webhooks`. */
export const listedWebhook = webhook.extend({ etag }).meta({ id: 'ListedWebhook' });
export type ListedWebhook = z.output<typeof listedWebhook>;

export const webhookDetails = listedWebhook
  .extend({
    digest: z.enum(DIGESTS).meta({ description: 'weekly = also receives a summary each Monday' }),
    signed: z.boolean().meta({ description: 'Messages are signed with a secret' }),
    oldSecretUntil: time.nullable().meta({ description: 'Time until which the previous secret also signs' }),
    disabledReason: z.string().nullable().meta({ description: 'Reason why the service disabled it' }),
    failingSince: time.nullable().meta({ description: 'Start of the current failures; null = none' }),
  })
  .meta({ id: 'WebhookDetails' });
export type WebhookDetailsShape = z.output<typeof webhookDetails>;

const attempt = z
  .object({
    at: time,
    ms: z.number(),
    status: z.number().nullable().meta({ description: 'null = no response' }),
    error: z.string().nullable(),
    request: z.record(z.string(), z.unknown()).meta({ description: 'The sent request, shortened and without secrets' }),
    response: z.string().nullable(),
  })
  .meta({ id: 'Attempt' });

export const delivery = z
  .object({
    id: z.string(),
    webhookId: z.string(),
    messageId: z
      .string()
      .meta({ description: 'The same for all attempts and replays, so that receivers can recognize a repetition' }),
    alertId: z.string().nullable(),
    kind: z.enum(['alert', 'resolved', 'test', 'digest']),
    state: z.enum(['waiting', 'delivered', 'failed']),
    createdAt: time,
    nextAttemptAt: time.nullable(),
    endedAt: time.nullable(),
    attempts: z.array(attempt),
  })
  .meta({ id: 'Delivery' });
export type DeliveryShape = z.output<typeof delivery>;

export const deliveriesPage = z.object({
  deliveries: z.array(delivery),
  nextCursor: z.string().nullable().meta({ description: 'Pass as `before` for the next page' }),
});
export type DeliveriesPage = z.output<typeof deliveriesPage>;

export const newSecret = z.object({
  secret: z.string().meta({ description: 'Shown once' }),
  oldSecretUntil: time.nullable(),
});

export const replayed = z.object({ deliveries: z.number() });

export const digest = z
  .object({
    id: z.string().meta({ description: 'The same for all webhooks, different each week' }),
    title: z.string(),
    message: z.string(),
    facts: z.array(z.object({ name: z.string(), value: z.string() })),
    data: z.record(z.string(), z.unknown()).meta({ description: 'The digest as data' }),
  })
  .meta({ id: 'Digest' });
export type DigestShape = z.output<typeof digest>;
