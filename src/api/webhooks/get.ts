import { webhookDetails } from '../../contract/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { webhookDetailsView } from './webhook-view.ts';

export const getWebhook = endpoint({
  method: 'GET',
  path: '/api/mcp/webhooks/{id}',
  summary: 'One webhook, and how its deliveries do',
  scope: 'webhooks:write',
  right: 'read',
  answer: webhookDetails,
  handle: async ({ caller, path }, { records }) =>
    webhookDetailsView(await records.webhooks.get(caller.workspaceId, path.id), caller),
});
