import { z } from 'zod';
import { deliveriesPage } from '../contract/webhooks.ts';
import { endpoint } from './http/endpoint.ts';
import { wholeNumber } from './whole-number.ts';
import { deliveryView } from './webhooks/webhook-view.ts';

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/api/mcp/webhooks/{id}/deliveries',
  summary: 'What a webhook has sent and still will, newest first, with every attempt',
  scope: 'webhooks:write',
  right: 'read',
  query: z.object({
    limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
    before: z.string().optional().meta({ description: '`next` of the page before' }),
  }),
  answer: deliveriesPage,
  async handle({ caller, path, query }, { records }) {
    const { workspaceId } = caller;
    const { id } = await records.webhooks.get(workspaceId, path.id);
    const page = { limit: query.limit, before: query.before ?? null };
    const rows = await records.deliveries.list(workspaceId, id, page);
    const attempts = await records.deliveries.attempts(rows.map((row) => row.id));
    const isLast = rows.length < query.limit;
    return {
      deliveries: rows.map((row) => deliveryView(row, attempts.get(row.id) ?? [])),
      next: isLast ? null : (rows.at(-1)?.id ?? null),
    };
  },
});
