import type { TokenClass } from '../usage/usage.ts';
import type { LengthTier, PriceMultiplier, RateCard, TokenRates } from './price.ts';
import { tierExceptions } from './pricing.ts';

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
    const exceptions = tierExceptions(card, BATCH_TIER);
    // Free batches whose cached tokens cost something can't be said by one multiplier.
    if (tier.num === 0 && exceptions.length > 0) return [];
    const contractMultiplier = { num: tier.num * contract.num, den: tier.den * contract.den };
    batch.push({ ...card, tiers: keepExceptions(card, tier, exceptions), tierMultipliers: {}, contractMultiplier });
  }
  return batch;
}

/** Raises rates that the multiplier leaves as they are, so that it leads back to them. */
function keepExceptions(
  card: RateCard,
  { num, den }: PriceMultiplier,
  classes: readonly TokenClass[],
): readonly LengthTier[] {
  if (classes.length === 0) return card.tiers;
  return card.tiers.map(({ above, rates }) => {
    const raised: TokenRates = { ...rates };
    for (const name of classes) {
      const rate = rates[name];
      if (rate !== undefined) raised[name] = Math.ceil((rate * den) / num);
    }
    return { above, rates: raised };
  });
}
