import { z } from 'zod';
import { endpoint } from '../endpoint.ts';

export const removeWebhook = endpoint({
  method: 'DELETE',
  path: '/api/mcp/webhooks/{id}',
  summary: 'Remove a webhook, with what it has sent and still would',
  scope: 'webhooks:write',
  right: 'manage',
  answer: z.object({ removed: z.string() }),
  async handle({ caller, path }, { records }) {
    await records.webhooks.remove(caller.workspaceId, path.id, caller.actor);
    return { removed: path.id };
  },
});
