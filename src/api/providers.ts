import { z } from 'zod';
import { provider } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { providerView } from './manage/provider-view.ts';

export const listProviders = endpoint({
  method: 'GET',
  path: '/api/manage/providers',
  summary: 'List providers',
  scope: 'admin',
  right: 'read',
  answer: z.array(provider),
  async handle(_, { providers, records, settings }) {
    const rows = await records.providers.list();
    const added = new Set(rows.map(({ id }) => id));
    return [...providers.values()].map((one) => providerView(one, settings.baseUrl, added.has(one.id)));
  },
});
