import { z } from 'zod';
import { webhook } from '../contract/webhooks.ts';
import { page, table } from './render.ts';
import { defineTool } from './tool.ts';
import { formatDateTime } from '../domain/text/dates.ts';

export const listWebhooks = defineTool({
  name: 'svc_list_webhooks',
  title: 'Webhooks',
  description: 'Webhooks of the workspace that receive alerts, with their type and events.',
  input: {},
  output: z.object({ webhooks: z.array(webhook) }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run(_, { client, signal }) {
    return { webhooks: await client.call('GET /api/mcp/webhooks', { signal }) };
  },
  markdown({ webhooks }, timeZone) {
    if (webhooks.length === 0) return 'No webhooks. To create one, call svc_create_webhook.';
    return page(
      `Times in ${timeZone}`,
      table(
        ['Name', 'Kind', 'Address', 'Events', 'Enabled', 'Created', 'Id'],
        webhooks.map(({ id, name, type, url, events, enabled, createdAt }) => [
          name,
          type.toLowerCase(),
          url,
          events.join(', ').toLowerCase(),
          enabled ? 'yes' : 'no',
          formatDateTime(createdAt, timeZone),
          id,
        ]),
      ),
    );
  },
});
