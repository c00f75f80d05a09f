import { z } from 'zod';
import { userCardInput } from '../../prices/price-schema.ts';
import { userCard } from '../../prices/user-card.ts';
import type { RateCard } from '../../domain/pricing/price.ts';
import { TollbookError } from '../../domain/errors.ts';
import { userPrice } from '../../contract/usage.ts';
import { endpoint } from '../http/endpoint.ts';
import type { Services } from '../services.ts';
import { userPriceView } from './price-view.ts';

export const setPrice = endpoint({
  method: 'POST',
  path: '/api/manage/prices',
  summary: "Set a price of the workspace's own",
  description: 'It wins over every list, for calls from `from` on, and replaces an own price with the same `from`.',
  scope: 'admin',
  right: 'manage',
  // Read where prices are made; here its shape is only told.
  body: z.unknown().meta(z.toJSONSchema(userCardInput, { io: 'input' })),
  answer: userPrice,
  status: 201,
  async handle({ caller, body }, { records, providers, gateway: gate }) {
    const card = userCard(body);
    checkPriceProvider(card, providers);
    const set = await records.prices.set(caller.workspaceId, card, caller.actor);
    await gate.pricesChanged(set);
    return userPriceView(set);
  },
});

/** The price of a misspelt provider would never be charged, nor that of one whose calls go by another's prices. */
function checkPriceProvider({ provider }: RateCard, providers: Services['providers']): void {
  const priced = new Set([...providers.values()].map(({ priceProvider }) => priceProvider));
  if (priced.has(provider)) return;
  const other = providers.get(provider)?.priceProvider;
  const sentence = other
    ? `Calls to ${provider} go by the prices of ${other}; set that.`
    : `There is no provider "${provider}"; choose from ${[...priced].join(', ')}.`;
  throw new TollbookError('invalid', sentence, 'provider');
}
