import { z } from 'zod';
import { price, type PriceShape, userPrice, type UserPriceShape } from '../contract/usage.ts';
import { endpoint } from './http/endpoint.ts';
import { PICO_DIGITS } from '../domain/money/money.ts';
import { toIso } from '../domain/time/period.ts';
import type { RateCard, TokenRates } from '../domain/pricing/price.ts';
import type { CustomPrice } from '../storage/records/prices.ts';
import { isoOrNull } from './fields.ts';
import { userCard, userCardInput } from '../prices/price-schema.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Services } from './services.ts';

/** pico-USD per token → USD per million tokens. */
const PER_MILLION_DIGITS = PICO_DIGITS - 6;

export function userPriceView({ id, card, createdAt }: CustomPrice): UserPriceShape {
  return { id, ...priceView(card), createdAt: toIso(createdAt) };
}

export function priceView(card: RateCard): PriceShape {
  const [base, ...longer] = card.tiers;
  return {
    provider: card.provider,
    model: card.model,
    from: isoOrNull(card.from),
    until: isoOrNull(card.until),
    usdPerMillion: perMillion(base?.rates ?? {}),
    longPrompts: longer.map(({ above, rates }) => ({ above, usdPerMillion: perMillion(rates) })),
    speeds: mapRates(card.speeds, perMillion),
    tierMultipliers: mapRates(card.tierMultipliers, ({ num, den }) => num / den),
    geoMultipliers: mapRates(card.geoMultipliers, ({ num, den }) => num / den),
    fees: mapRates(card.fees, (pico) => toDecimal(pico, PICO_DIGITS)),
    contextWindow: card.contextWindow,
    version: card.version,
    source: card.source,
  };
}

function perMillion(rates: TokenRates): TokenRates {
  return mapRates(rates, (pico) => toDecimal(pico, PER_MILLION_DIGITS));
}

/** The number nearest to the exact decimal. */
function toDecimal(whole: number, digits: number): number {
  return Number(`${whole}e-${digits}`);
}

function mapRates<From, To>(object: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

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
