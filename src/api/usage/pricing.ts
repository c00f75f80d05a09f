import { z } from 'zod';
import { price } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import { priceView } from '../manage/price-view.ts';

export const pricing = endpoint({
  method: 'GET',
  path: '/api/mcp/pricing',
  summary: 'Prices that hold now, by provider and model',
  scope: 'usage:read',
  right: 'read',
  query: z.object({ provider: z.string().min(1).optional() }),
  answer: z.array(price),
  async handle({ caller, query }, { clock, prices, providers }) {
    const listed = [...providers.values()].filter(({ pricesListed }) => pricesListed === 'always');
    const all = new Set(listed.map(({ priceProvider }) => priceProvider));
    return prices.list(caller.workspaceId, query.provider ?? all, clock()).map(priceView);
  },
});
