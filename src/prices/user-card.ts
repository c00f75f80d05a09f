import type { RateCard } from '../domain/pricing/price.ts';
import { draftOf, finishPeriod } from './draft-card.ts';
import { refusal, userCardInput } from './price-schema.ts';

const NO_RULES = { sameAs: {}, multiples: {} };

/** Validates and builds a user's price (`userCardInput`). Throws `invalid` with the field's name. */
export function userCard(input: unknown): RateCard {
  const parsed = userCardInput.safeParse(input);
  if (!parsed.success) throw refusal('A price', parsed.error);
  const { provider, model, ...price } = parsed.data;
  return finishPeriod(provider, model, draftOf('user', { ...price, source: 'user' }), [], NO_RULES).card;
}
