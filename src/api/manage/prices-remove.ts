import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';

export const removePrice = endpoint({
  method: 'DELETE',
  path: '/api/manage/prices/{id}',
  summary: "Remove a price of the workspace's own",
  description: 'Entries keep the price they were given.',
  scope: 'admin',
  right: 'manage',
  answer: z.object({ id: z.string() }),
  async handle({ caller, path }, { records, gateway: gate }) {
    await records.prices.remove(caller.workspaceId, path.id, caller.actor);
    await gate.pricesChanged();
    return { id: path.id };
  },
});
