import { z } from 'zod';
import { ALERT_TYPES } from '../../core/alert.ts';
import { parseEvents, parseWebhookType, WEBHOOK_TYPES } from '../../core/webhook.ts';
import { webhook } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { checkWebhookUrl } from './check-webhook-url.ts';
import { webhookView } from './webhook-view.ts';

export const createWebhook = endpoint({
  method: 'POST',
  path: '/api/mcp/webhooks',
  summary: 'Create a webhook',
  scope: 'webhooks:write',
  body: z.object({
    name: z.string(),
    url: z.string().meta({ description: 'Public and https' }),
    type: z.string().meta({ description: `One of ${WEBHOOK_TYPES.join(', ')}` }),
    events: z.array(z.string()).meta({ description: `Of ${ALERT_TYPES.join(', ')}` }),
    secret: z.string().min(1).optional().meta({ description: 'Signs what is sent; never shown again' }),
  }),
  answer: webhook,
  status: 201,
  async handle({ caller, body }, { records }) {
    const created = await records.webhooks.create(
      {
        workspaceId: caller.workspaceId,
        name: body.name,
        url: checkWebhookUrl(body.url),
        type: parseWebhookType(body.type),
        events: parseEvents(body.events),
        secret: body.secret ?? null,
      },
      caller.actor,
    );
    return webhookView(created);
  },
});
