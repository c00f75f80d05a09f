import { z } from 'zod';
import { endpoint } from '../http/endpoint.ts';

export const refreshPrices = endpoint({
  method: 'POST',
  path: '/api/manage/prices/refresh',
  summary: 'Fetch price data from the configured address',
  scope: 'admin',
  right: 'operate',
  answer: z.object({ source: z.string(), cards: z.int() }),
  async handle(_, { installation: operations, gateway: gate }) {
    const refreshed = await operations.refreshPrices();
    await gate.pricesChanged();
    return refreshed;
  },
});
