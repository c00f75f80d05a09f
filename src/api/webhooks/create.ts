import { z } from 'zod';
import { ALERT_TYPES } from '../../domain/alerts/alert.ts';
import { DIGESTS, parseEvents, parseWebhookType } from '../../domain/alerts/webhook.ts';
import { WEBHOOK_TYPES } from '../../domain/alerts/webhook-kinds.ts';
import { webhook } from '../../contract/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { checkDigest, checkTarget } from './check-target.ts';
import { webhookView } from './webhook-view.ts';

export const createWebhook = endpoint({
  method: 'POST',
  path: '/api/mcp/webhooks',
  summary: 'Create a webhook',
  scope: 'webhooks:write',
  right: 'manage',
  body: z.object({
    name: z.string(),
    url: z.string().meta({ description: 'Public and https; mailto: for EMAIL' }),
    type: z.string().meta({ description: `One of ${WEBHOOK_TYPES.join(', ')}` }),
    events: z.array(z.string()).meta({ description: `Of ${ALERT_TYPES.join(', ')}` }),
    secret: z.string().min(1).optional().meta({ description: 'Signs what is sent; never shown again' }),
    digest: z.enum(DIGESTS).default('off').meta({ description: 'weekly = a summary each Monday too' }),
  }),
  answer: webhook,
  status: 201,
  async handle({ caller, body }, services) {
    const { workspaceId, actor } = caller;
    const { name, url, secret = null, digest } = body;
    const type = parseWebhookType(body.type);
    const events = parseEvents(body.events);
    checkDigest(type, digest);
    await checkTarget(services, type, { url, secrets: secret === null ? [] : [secret] });
    const input = { workspaceId, name, url, type, events, secret, digest };
    return webhookView(await services.records.webhooks.create(input, actor), caller);
  },
});
