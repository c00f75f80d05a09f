import { z } from 'zod';
import { deliveriesPage, delivery, replayed } from '../contract/webhooks.ts';
import { endpoint } from './http/endpoint.ts';
import { wholeNumber } from './fields.ts';
import { deliveryView } from './webhooks.ts';
import { readPeriod } from '../domain/time/period.ts';

export const listDeliveries = endpoint({
  method: 'GET',
  path: '/api/mcp/webhooks/{id}/deliveries',
  summary: 'What a webhook has sent and still will, newest first, with every attempt',
  scope: 'webhooks:write',
  right: 'read',
  query: z.object({
    limit: wholeNumber(1, 100).default(20).meta({ description: 'Default: 20' }),
    cursor: z.string().optional().meta({ description: '`next` of the page before' }),
  }),
  answer: deliveriesPage,
  async handle({ caller, path, query }, { records }) {
    const { workspaceId } = caller;
    const { id } = await records.webhooks.get(workspaceId, path.id);
    const page = { limit: query.limit, before: query.cursor ?? null };
    const rows = await records.deliveries.list(workspaceId, id, page);
    const attempts = await records.deliveries.attempts(rows.map((row) => row.id));
    const isLast = rows.length < query.limit;
    return {
      deliveries: rows.map((row) => deliveryView(row, attempts.get(row.id) ?? [])),
      nextCursor: isLast ? null : (rows.at(-1)?.id ?? null),
    };
  },
});

export const replayDelivery = endpoint({
  method: 'POST',
  path: '/api/mcp/webhooks/{id}/deliveries/{delivery}/replay',
  summary: 'Send a delivery again',
  description: 'Under the same message id: a receiver that has it already knows the repetition.',
  scope: 'webhooks:write',
  right: 'manage',
  answer: delivery,
  async handle({ caller, path }, { records, deliveries }) {
    const { workspaceId, actor } = caller;
    const again = await records.deliveries.replay(workspaceId, path.id, path.delivery, actor);
    deliveries.start();
    return deliveryView(again, []);
  },
});

export const replayPeriod = endpoint({
  method: 'POST',
  path: '/api/mcp/webhooks/{id}/replay',
  summary: 'Send again what was not delivered in a period',
  scope: 'webhooks:write',
  right: 'manage',
  body: z.strictObject({
    startDate: z.string(),
    endDate: z.string().optional().meta({ description: 'Default: now' }),
    all: z.boolean().default(false).meta({ description: 'What was delivered too' }),
  }),
  answer: replayed,
  async handle({ caller, path, body }, { records, deliveries, clock }) {
    const { workspaceId, actor } = caller;
    const { id } = await records.webhooks.get(workspaceId, path.id);
    const period = readPeriod(body.startDate, body.endDate, clock());
    const count = await records.deliveries.replayPeriod(workspaceId, id, period, body.all, actor);
    deliveries.start();
    return { deliveries: count };
  },
});

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
