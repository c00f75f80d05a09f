import { z } from 'zod';
import { userPrice } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { userPriceView } from './manage/price-view.ts';

export const listPrices = endpoint({
  method: 'GET',
  path: '/api/manage/prices',
  summary: "List the workspace's own prices",
  scope: 'admin',
  right: 'read',
  answer: z.array(userPrice),
  async handle({ caller }, { records }) {
    const own = await records.prices.list(caller.workspaceId);
    return own.map(userPriceView);
  },
});
