import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';

export const removeProvider = endpoint({
  method: 'DELETE',
  path: '/api/manage/providers/{id}',
  summary: 'Remove a provider that was added',
  description: 'Its wrapped keys stop working; its entries stay in the book.',
  scope: 'admin',
  right: 'operate',
  answer: z.object({ id: z.string() }),
  async handle({ caller, path }, { records, gateway: gate }) {
    await records.providers.remove(path.id, caller.actor);
    await gate.providersChanged();
    return { id: path.id };
  },
});
