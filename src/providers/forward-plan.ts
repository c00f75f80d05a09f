import { BodyEdits, type MemberPlace } from './body-edits.ts';
import { type MaxPricePlace, putMaxPrice } from './max-price.ts';
import type { ForwardTerms, BodySplice } from './provider.ts';

/** A place that holds an output maximum. */
export interface OutputMaximum {
  readonly place: MemberPlace;
  /** What it says; null = nothing, or nothing that bounds. A smaller number than is forwarded stays. */
  readonly says: number | null;
  /** The object it stands in is absent too, and goes around it. */
  readonly within?: string;
}

/** What the body can be made to say on its way upstream. Holds places, not the body. */
export interface ForwardPlan {
  /** Every place that bounds an answer's length: none of them may say more. */
  readonly maxima: readonly OutputMaximum[];
  /** null = this provider has no such field. */
  readonly tier: MemberPlace | null;
  /** What the body says of the tier. */
  readonly tierSays: string | null;
  /** Where the body bounds the prices of the endpoint that serves it; absent = this provider has no such field. */
  readonly maxPrice?: MaxPricePlace | undefined;
  /** Changes that are made in any case; null = none. */
  readonly always: ((edits: BodyEdits) => void) | null;
}

export const AS_IT_IS: ForwardTerms = { outputMax: null, tier: null, models: null };
const NO_SPLICES: readonly BodySplice[] = [];

/** The splices that make the body say so, and nothing else. */
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
