import { z } from 'zod';
import { seenBody } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { endpoint } from '../http/endpoint.ts';
import { webhookDetailsView } from './webhook-view.ts';

export const removeWebhook = endpoint({
  method: 'DELETE',
  path: '/api/mcp/webhooks/{id}',
  summary: 'Remove a webhook, with what it has sent and still would',
  scope: 'webhooks:write',
  right: 'manage',
  body: seenBody,
  answer: z.object({ removed: z.string() }),
  async handle({ caller, path, body }, { records }) {
    await records.webhooks.remove(caller.workspaceId, path.id, caller.actor, (now) =>
      requireUnchanged(body?.seen, { ...webhookDetailsView(now, caller) }),
    );
    return { removed: path.id };
  },
});
