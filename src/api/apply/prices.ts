import { TollbookError } from '../../domain/errors.ts';
import type { RateCard } from '../../domain/pricing/price.ts';
import { toIso } from '../../domain/time/period.ts';
import type { DeclaredPrice } from '../../contract/prices.ts';
import { userCard } from '../../prices/price-schema.ts';
import type { CustomPrice } from '../../storage/records/prices.ts';
import { checkPriceProvider, listedExceptions, priceView } from '../prices.ts';
import { compare, create, remove, type ApplyContext, type ApplyStep, within } from './apply-step.ts';

/** Plans the declared custom prices. A price is found by its provider, model and start. */
export function planPrices(
  declared: readonly DeclaredPrice[],
  existing: readonly CustomPrice[],
  { providers, prune, services }: ApplyContext,
): ApplyStep[] {
  const there = new Map(existing.map((price) => [priceName(price.card), price]));
  const wanted = new Map<string, number>();
  const steps = declared.map((written, index) =>
    within(`prices.${index}`, () => {
      const card = userCard(written, listedExceptions(services.prices));
      checkPriceProvider(card, providers);
      const name = priceName(card);
      const twin = wanted.get(name);
      if (twin !== undefined)
        throw new TollbookError('invalid', `prices.${twin} declares the same price. Keep one of them.`);
      wanted.set(name, index);
      return priceStep(card, there.get(name)?.card);
    }),
  );
  const gone = prune ? [...there].filter(([name]) => !wanted.has(name)) : [];
  return [...steps, ...gone.map(([, price]) => removePriceStep(price))];
}

function priceName({ provider, model, from }: RateCard): string {
  return `${provider} ${model}${from === null ? '' : ` from ${toIso(from)}`}`;
}

const DEFAULTS = {
  until: null,
  usdPerMillion: {},
  longPrompts: [],
  speeds: {},
  tierMultipliers: {},
  geoMultipliers: {},
  fees: {},
  contextWindow: null,
};

function priceFacts(card: RateCard): typeof DEFAULTS {
  const view: Record<string, unknown> = priceView(card);
  return Object.fromEntries(Object.keys(DEFAULTS).map((field) => [field, view[field]])) as typeof DEFAULTS;
}

function priceStep(card: RateCard, there: RateCard | undefined): ApplyStep {
  const name = priceName(card);
  return {
    change: there
      ? compare('price', name, priceFacts(there), priceFacts(card))
      : create('price', name, priceFacts(card), DEFAULTS),
    run: async ({ caller: { workspaceId, actor }, services: { records, gateway } }) =>
      await gateway.pricesChanged(await records.prices.set(workspaceId, card, actor)),
  };
}

function removePriceStep({ id, card }: CustomPrice): ApplyStep {
  return {
    change: remove('price', priceName(card)),
    run: async ({ caller: { workspaceId, actor }, services: { records, gateway } }) => {
      await records.prices.remove(workspaceId, id, actor);
      await gateway.pricesChanged();
    },
  };
}
