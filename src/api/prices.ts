import { type FindTierExceptions, userCard } from '../prices/price-schema.ts';
import type { PriceShape, RepricePreview, UserPriceShape } from '../contract/prices.ts';
import { endpoint } from './http/endpoint.ts';
import { PICO_DIGITS, usdFromNano } from '../domain/money/money.ts';
import { toIso } from '../domain/time/period.ts';
import type { TokenClass } from '../domain/usage/usage.ts';
import type { RepricedSum } from '../domain/pricing/repriced-sum.ts';
import { type RateCard, type TokenRates, type WorkspaceCard, WITHDRAWN_REASONS } from '../domain/pricing/price.ts';
import { type CustomPrice, isSamePrice } from '../storage/records/prices.ts';
import { withEtag } from './http/if-match.ts';
import { isoOrNull } from '../contract/fields.ts';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Records } from '../storage/records/records.ts';
import { type PriceBook, soldByUnit } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { GatewayNotices } from './gateway-notices.ts';

export interface PriceServices {
  readonly clock: Clock;
  readonly records: Records;
  readonly prices: PriceBook;
  readonly providers: ReadonlyMap<string, Provider>;
  readonly gateway: Pick<GatewayNotices, 'pricesChanged'>;
  /** Sums the calls that get another cost from a price, among the custom prices of its workspace. */
  readonly previewPrice: (price: WorkspaceCard, prices: readonly WorkspaceCard[]) => Promise<RepricedSum>;
}

/** Shows a preview. @param missing classes that lose their price */
export function repricedView(sum: RepricedSum, missing: readonly TokenClass[] = []): RepricePreview {
  const { calls, unpricedCalls, costBefore, costAfter, from, isComplete } = sum;
  return {
    calls,
    unpricedCalls,
    missingClasses: [...missing],
    costBefore: usdFromNano(costBefore),
    costAfter: usdFromNano(costAfter),
    from: isoOrNull(from),
    isComplete,
  };
}

/** pico-USD per token → USD per million tokens. */
const PER_MILLION_DIGITS = PICO_DIGITS - 6;

function userPriceView({ id, card, createdAt }: CustomPrice): UserPriceShape {
  return withEtag({ id, ...priceView(card), createdAt: toIso(createdAt) });
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
    fees: feesView(card.fees),
    contextWindow: card.contextWindow,
    version: card.version,
    source: card.source,
  };
}

export function feesView(fees: RateCard['fees']): Record<string, number> {
  return mapRates(fees, (pico) => toDecimal(pico, PICO_DIGITS));
}

export function perMillion(rates: TokenRates): TokenRates {
  return mapRates(rates, (pico) => toDecimal(pico, PER_MILLION_DIGITS));
}

/** Converts to the nearest floating-point number. */
function toDecimal(whole: number, digits: number): number {
  return Number(`${whole}e-${digits}`);
}

function mapRates<From, To>(object: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}

export const listPrices = endpoint('GET /api/manage/prices', async ({ caller }, { records }: PriceServices) => {
  const own = await records.prices.list(caller.workspaceId);
  return own.map(userPriceView);
});

export const listPriceLists = endpoint(
  'GET /api/manage/prices/lists',
  async (_, { clock, prices, providers }: PriceServices) => {
    const now = clock();
    const lists = [...new Set([...providers.values()].map(({ priceProvider }) => priceProvider))].toSorted();
    return lists.flatMap((provider) => {
      const listed = prices.listed(provider, now);
      if (listed.length === 0) return [];
      const models = soldByUnit(listed);
      const unpriced = models
        .filter(({ hasPrice }) => !hasPrice)
        .map(({ model, withdrawn }) => ({ model, source: withdrawn?.source ?? null }));
      const apart = listed.flatMap(({ model, withdrawn }) => {
        const reason = WITHDRAWN_REASONS.find((each) => each === withdrawn?.reason);
        return withdrawn && reason ? [{ model, reason, source: withdrawn.source }] : [];
      });
      return { provider, models: models.length, priced: models.length - unpriced.length, unpriced, apart };
    });
  },
);

/** Finds tier exceptions in the price lists; a model that is not listed has those of its provider's first one. */
export function listedExceptions(prices: PriceBook): FindTierExceptions {
  return (provider, model) => {
    const [first = model] = prices.names(provider);
    const periods = prices.periods(provider, model);
    return (periods.length > 0 ? periods : prices.periods(provider, first)).at(-1)?.card.tierExceptions;
  };
}

export const setPrice = endpoint(
  'POST /api/manage/prices',
  async ({ caller, body }, { records, providers, prices, gateway }: PriceServices) => {
    const card = userCard(body, listedExceptions(prices));
    checkPriceProvider(card, providers);
    const set = await records.prices.set(caller.workspaceId, card, caller.actor);
    await gateway.pricesChanged(set);
    return userPriceView(set);
  },
);

/** Classes that most calls to a model have. */
const COMMON_CLASSES = ['input', 'output', 'cacheRead', 'cacheWrite5m', 'cacheWrite1h'] as const;

/** Returns the common classes that have a price in the first card and none in the second. */
function missingClasses(before: RateCard, after: RateCard): TokenClass[] {
  const [had = {}, has = {}] = [before, after].map(({ tiers }): TokenRates => tiers[0]?.rates ?? {});
  return COMMON_CLASSES.filter((name) => had[name] !== undefined && has[name] === undefined);
}

export const previewNewPrice = endpoint(
  'POST /api/manage/prices/preview',
  async ({ caller: { workspaceId }, body }, { clock, records, providers, prices, previewPrice }: PriceServices) => {
    const card = userCard(body, listedExceptions(prices));
    checkPriceProvider(card, providers);
    const kept = (await records.prices.list(workspaceId)).filter((one) => !isSamePrice(one.card, card));
    const now = prices.resolve(workspaceId, card.provider, card.model, clock());
    const sum = await previewPrice({ workspaceId, card }, [...kept, { workspaceId, card }]);
    return repricedView(sum, now ? missingClasses(now, card) : []);
  },
);

/** Rejects a provider that is unknown or uses another provider's prices: such a price would never apply. */
export function checkPriceProvider({ provider }: RateCard, providers: PriceServices['providers']): void {
  const priced = new Set([...providers.values()].map(({ priceProvider }) => priceProvider));
  if (priced.has(provider)) return;
  const other = providers.get(provider)?.priceProvider;
  const sentence = other
    ? `Calls to ${provider} use the prices of ${other}. Set a price for ${other} instead.`
    : `There is no provider "${provider}"; choose from ${[...priced].join(', ')}.`;
  throw new TollbookError('invalid', sentence, 'provider');
}

export const removePrice = endpoint(
  'DELETE /api/manage/prices/{id}',
  async ({ caller, path, requireMatch }, { records, gateway }: PriceServices) => {
    await records.prices.remove(caller.workspaceId, path.id, caller.actor, (now) => requireMatch(userPriceView(now)));
    await gateway.pricesChanged();
    return { id: path.id };
  },
);

export const pricing = endpoint(
  'GET /api/mcp/pricing',
  async ({ caller, query }, { clock, prices, providers }: PriceServices) => {
    const listed = [...providers.values()].filter(({ pricesListed }) => pricesListed === 'always');
    const all = new Set(listed.map(({ priceProvider }) => priceProvider));
    return prices.list(caller.workspaceId, query.provider ?? all, clock()).map(priceView);
  },
);
