import { z } from 'zod';
import { webhook } from '../contract/webhooks.ts';
import { page, table, time } from './render.ts';
import { defineTool } from './tool.ts';

const webhooksShape = z.array(webhook);

export const listWebhooks = defineTool({
  name: 'svc_list_webhooks',
  title: 'Webhooks',
  description: 'Where alerts are sent: the webhooks of the workspace, with their kind and the events each one gets.',
  input: {},
  output: z.object({ webhooks: webhooksShape }),
  hints: { readOnly: true, idempotent: true, zone: 'workspace' },
  needsFiles: false,
  async run(_, { client, signal }) {
    return { webhooks: await client.ask({ method: 'GET', path: '/api/mcp/webhooks', signal }, webhooksShape) };
  },
  markdown({ webhooks }, timeZone) {
    if (webhooks.length === 0) return 'There are no webhooks. svc_create_webhook makes one.';
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
          time(createdAt, timeZone),
          id,
        ]),
      ),
    );
  },
});
