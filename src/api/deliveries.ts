import { endpoint } from './http/endpoint.ts';
import { deliveryView, type DeliverySender } from './webhooks.ts';
import { readPeriod } from '../domain/time/period.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';

export interface DeliveryServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly deliveries: DeliverySender;
}

export const listDeliveries = endpoint(
  'GET /api/mcp/webhooks/{id}/deliveries',
  async ({ caller, path, query }, { records }: DeliveryServices) => {
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
);

export const replayDelivery = endpoint(
  'POST /api/mcp/webhooks/{id}/deliveries/{delivery}/replay',
  async ({ caller, path }, { records, deliveries }: DeliveryServices) => {
    const { workspaceId, actor } = caller;
    const again = await records.deliveries.replay(workspaceId, path.id, path.delivery, actor);
    deliveries.start();
    return deliveryView(again, []);
  },
);

export const replayPeriod = endpoint(
  'POST /api/mcp/webhooks/{id}/replay',
  async ({ caller, path, body }, { records, deliveries, clock }: DeliveryServices) => {
    const { workspaceId, actor } = caller;
    const { id } = await records.webhooks.get(workspaceId, path.id);
    const period = readPeriod(body.startDate, body.endDate, clock());
    const count = await records.deliveries.replayPeriod(workspaceId, id, period, body.all, actor);
    deliveries.start();
    return { deliveries: count };
  },
);

export const testWebhook = endpoint(
  'POST /api/mcp/webhooks/{id}/test',
  async ({ caller, path }, { deliveries }: DeliveryServices) => {
    const sent = await deliveries.test(caller.workspaceId, path.id);
    return deliveryView(sent.delivery, [sent.attempt]);
  },
);
