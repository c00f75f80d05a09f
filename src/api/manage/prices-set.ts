import { z } from 'zod';
import { userCardInput } from '../../prices/price-schema.ts';
import { userCard } from '../../prices/user-card.ts';
import { userPrice } from '../contract.ts';
import { endpoint } from '../endpoint.ts';
import { userPriceView } from './price-view.ts';

export const setPrice = endpoint({
  method: 'POST',
  path: '/api/manage/prices',
  summary: "Set a price of the workspace's own",
  description: 'It wins over every list, for calls from `from` on, and replaces an own price with the same `from`.',
  scope: 'admin',
  // Read where prices are made; here its shape is only told.
  body: z.unknown().meta(z.toJSONSchema(userCardInput, { io: 'input' })),
  answer: userPrice,
  status: 201,
  async handle({ caller, body }, { records, gate }) {
    const set = await records.prices.set(caller.workspaceId, userCard(body), caller.actor);
    await gate.pricesChanged(set);
    return userPriceView(set);
  },
});
