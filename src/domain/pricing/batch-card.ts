import type { PriceMultiplier, RateCard } from './price.ts';

/** Service tier of a request in a batch, as prices name it. */
export const BATCH_TIER = 'batch';
const ONE: PriceMultiplier = { num: 1, den: 1 };

/** Returns the cards at the price of batches; none if one of them has no such price. Fees of tools stay. */
export function atBatchPrice(cards: readonly RateCard[]): readonly RateCard[] {
  const batch: RateCard[] = [];
  for (const card of cards) {
    const { tierMultipliers, contractMultiplier: contract = ONE } = card;
    const tier = Object.hasOwn(tierMultipliers, BATCH_TIER) ? tierMultipliers[BATCH_TIER] : undefined;
    if (!tier) return [];
    const contractMultiplier = { num: tier.num * contract.num, den: tier.den * contract.den };
    batch.push({ ...card, tierMultipliers: {}, contractMultiplier });
  }
  return batch;
}
