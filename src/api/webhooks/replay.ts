import { z } from 'zod';
import { delivery, replayed } from '../../contract/webhooks.ts';
import { endpoint } from '../http/endpoint.ts';
import { readPeriod } from '../../domain/time/period.ts';
import { deliveryView } from './webhook-view.ts';

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
