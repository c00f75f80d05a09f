import { z } from 'zod';
import { provider } from '../contract.ts';
import { endpoint } from '../endpoint.ts';

export const listProviders = endpoint({
  method: 'GET',
  path: '/api/manage/providers',
  summary: 'List providers',
  scope: 'admin',
  answer: z.array(provider),
  async handle(_, { providers, records, settings }) {
    const rows = await records.providers.list();
    const added = new Set(rows.map(({ id }) => id));
    return [...providers.values()].map(({ id, name, url, priceProvider }) => ({
      id,
      name,
      url,
      proxyUrl: `${settings.baseUrl}/api/proxy/${id}`,
      priceProvider,
      added: added.has(id),
    }));
  },
});
