import { BodyEdits, type MemberPlace } from './body-edits.ts';
import { type MaxPricePlace, putMaxPrice } from './max-price.ts';
import type { ForwardTerms, BodySplice } from './provider.ts';

/** A member that limits the output. */
export interface OutputMaximum {
  readonly place: MemberPlace;
  /** Its value; null = absent, or not a limit. A value smaller than the forwarded one stays. */
  readonly says: number | null;
  /** Name of the member if its object is absent too and must be added around it. */
  readonly within?: string;
}

/** Members that can be changed on the way upstream. Holds places, not the body. */
export interface ForwardPlan {
  /** All members that limit the length of an answer. */
  readonly maxima: readonly OutputMaximum[];
  /** null = this provider has no such member. */
  readonly tier: MemberPlace | null;
  /** Tier in the body. */
  readonly tierSays: string | null;
  /** Member that limits the prices of the endpoint; absent = this provider has no such member. */
  readonly maxPrice?: MaxPricePlace | undefined;
  /** Changes that are always made; null = none. */
  readonly always: ((edits: BodyEdits) => void) | null;
}

export const AS_IT_IS: ForwardTerms = { outputMax: null, tier: null, models: null };
const NO_SPLICES: readonly BodySplice[] = [];

/** Returns the splices that make the body obey the terms. */
export function buildSplices(
  { maxima, tier, tierSays, maxPrice, always }: ForwardPlan,
  terms: ForwardTerms,
): readonly BodySplice[] {
  const models = maxPrice === undefined ? null : terms.models;
  if (always === null && terms.outputMax === null && terms.tier === null && models === null) return NO_SPLICES;
  const edits = new BodyEdits();
  if (terms.outputMax !== null)
    for (const { place, says, within } of maxima)
      if (says === null || says > terms.outputMax)
        edits.put(place, within === undefined ? `${terms.outputMax}` : `{"${within}":${terms.outputMax}}`);
  if (terms.tier !== null && tier !== null && tierSays !== terms.tier) edits.put(tier, JSON.stringify(terms.tier));
  if (maxPrice !== undefined && models !== null) putMaxPrice(maxPrice, models, edits);
  always?.(edits);
  return edits.splices();
}
