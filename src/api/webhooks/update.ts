import { z } from 'zod';
import { ALERT_TYPES } from '../../domain/alerts/alert.ts';
import { DIGESTS, parseEvents } from '../../domain/alerts/webhook.ts';
import { seen } from '../../contract/seen.ts';
import { requireUnchanged } from '../http/if-match.ts';
import { webhookDetails } from '../../contract/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { checkDigest, checkMove, checkTarget } from './check-target.ts';
import { webhookDetailsView } from './webhook-view.ts';

export const updateWebhook = endpoint({
  method: 'PATCH',
  path: '/api/mcp/webhooks/{id}',
  summary: 'Change a webhook',
  description: 'Enabling one that the service had disabled lets it send what still waits. Its type stays what it is.',
  scope: 'webhooks:write',
  right: 'manage',
  body: z.strictObject({
    name: z.string().optional(),
    url: z.string().optional(),
    events: z
      .array(z.string())
      .optional()
      .meta({ description: `Of ${ALERT_TYPES.join(', ')}` }),
    enabled: z.boolean().optional(),
    digest: z.enum(DIGESTS).optional(),
    seen,
  }),
  answer: webhookDetails,
  async handle({ caller, path, body }, services) {
    const { workspaceId, actor } = caller;
    const { webhooks } = services.records;
    const before = await webhooks.get(workspaceId, path.id);
    const { type } = before;
    const { name, url, events, enabled, digest } = body;
    if (digest !== undefined) checkDigest(type, digest);
    if (url !== undefined && url !== before.url) {
      const { secrets } = await webhooks.target(workspaceId, path.id);
      await checkTarget(services, type, { url, secrets });
      checkMove(before, url);
    }
    const change = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: parseEvents(events) }),
      ...(enabled !== undefined && { enabled }),
      ...(digest !== undefined && { digest }),
    };
    const updated = await webhooks.update(workspaceId, path.id, change, actor, (now) =>
      requireUnchanged(body.seen, { ...webhookDetailsView(now, caller) }),
    );
    services.deliveries.start();
    return webhookDetailsView(updated, caller);
  },
});
