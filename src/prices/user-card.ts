import { z } from 'zod';
import { TollbookError } from '../core/errors.ts';
import type { RateCard } from '../core/price.ts';
import { draft, finishPeriod } from './draft-card.ts';
import { checkRow, modelName, priceFields, tiersOf } from './price-rows.ts';

/**
 * A price of the user's own: dollars per million tokens and per use, as decimal text. It says all there is: a class,
 * service tier or fee that it doesn't name has no price.
 */
export const userCardInput = z
  .strictObject({ provider: modelName, model: modelName, ...priceFields })
  .superRefine(checkRow);

export type UserCardInput = z.input<typeof userCardInput>;

/** Validates and builds a user's price. Throws `invalid` with the field's name. */
export function userCard(input: unknown): RateCard {
  const parsed = userCardInput.safeParse(input);
  if (!parsed.success) throw refusal('A price', parsed.error);
  return cardOf(parsed.data);
}

/** Builds a price that `userCardInput` has read. */
export function cardOf(price: z.output<typeof userCardInput>): RateCard {
  const { provider, model, longPrompts: _, usdPerMillion: __, from, until, ...modifiers } = price;
  const known = Object.fromEntries(Object.entries(modifiers).filter(([, value]) => value !== undefined));
  const card = draft({
    origin: 'user',
    source: 'user',
    from: from ?? null,
    until: until ?? null,
    tiers: tiersOf(price),
    ...known,
  });
  return finishPeriod(provider, model, card, [], {}).card;
}

/** The first thing that is wrong, as a sentence. */
export function refusal(what: string, error: z.ZodError): TollbookError {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  const where = path ? ` in ${path}` : '';
  return new TollbookError('invalid', `${what} is not valid${where}: ${issue?.message ?? 'unknown'}.`, path || undefined);
}
