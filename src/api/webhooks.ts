import { z } from 'zod';
import { webhook } from '../contract/webhooks.ts';
import { endpoint } from './http/endpoint.ts';
import { webhookView } from './webhooks/webhook-view.ts';

export const listWebhooks = endpoint({
  method: 'GET',
  path: '/api/mcp/webhooks',
  summary: 'List webhooks',
  scope: 'webhooks:write',
  right: 'read',
  answer: z.array(webhook),
  async handle({ caller }, { records }) {
    const webhooks = await records.webhooks.list(caller.workspaceId);
    return webhooks.map((one) => webhookView(one, caller));
  },
});
