import { delivery } from '../../contract/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { deliveryView } from './webhook-view.ts';

export const testWebhook = endpoint({
  method: 'POST',
  path: '/api/mcp/webhooks/{id}/test',
  summary: 'Send a test at once',
  description: 'Answers with how it went; a webhook that is disabled can be tried too.',
  scope: 'webhooks:write',
  right: 'manage',
  answer: delivery,
  async handle({ caller, path }, { deliveries }) {
    const sent = await deliveries.test(caller.workspaceId, path.id);
    return deliveryView(sent.delivery, [sent.attempt]);
  },
});
