import { z } from 'zod';
import { clientAddress } from '../../core/client-address.ts';
import { provider } from '../contract.ts';
import { endpoint } from '../endpoint.ts';

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
    return [...providers.values()].map(({ id, name, url, priceProvider }) => ({
      id,
      name,
      url,
      proxyUrl: clientAddress(settings.baseUrl, id),
      priceProvider,
      added: added.has(id),
    }));
  },
});
