import type { RateCard } from '../domain/pricing/price.ts';
import { parseDraft, finishPeriod } from './draft-card.ts';
import { toInvalidError, userCardInput } from './price-schema.ts';

const NO_RULES = { sameAs: {}, multiples: {} };

/** Validates and builds a user's price (`userCardInput`). Throws `invalid` with the field's name. */
export function userCard(input: unknown): RateCard {
  const parsed = userCardInput.safeParse(input);
  if (!parsed.success) throw toInvalidError('A price', parsed.error);
  const { provider, model, ...price } = parsed.data;
  return finishPeriod(provider, model, parseDraft('user', { ...price, source: 'user' }), [], NO_RULES).card;
}
