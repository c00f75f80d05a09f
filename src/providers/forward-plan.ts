import { BodyEdits, type MemberPlace } from './body-edits.ts';
import { type MaxPricePlace, putMaxPrice } from './router-max-price.ts';
import type { ForwardTerms, BodySplice } from './provider.ts';
import type { RequestBody } from './request-body.ts';

/** A member that limits the output. */
export interface OutputMaximum {
  readonly place: MemberPlace;
  /** Its value; null = absent, or not a limit. A value smaller than the forwarded one stays. */
  readonly says: number | null;
  /** Name of the member if its object is absent too and must be added around it. */
  readonly within?: string;
}

/** A member that limits the uses of tools. */
export interface ToolMaximum {
  readonly place: MemberPlace;
  /** Its value; null = absent. A value smaller than the forwarded one stays. */
  readonly says: number | null;
}

/** Members that can be changed on the way upstream. Holds places, not the body. */
export interface ForwardPlan {
  /** All members that limit the length of an answer. */
  readonly maxima: readonly OutputMaximum[];
  /** All members that limit the uses of the provider's tools; absent = none. */
  readonly toolMaxima?: readonly ToolMaximum[];
  /** The thinking budget, if it may be reduced; absent = it may not, or there is none. */
  readonly thinkingBudget?: MemberPlace | undefined;
  /** null = this provider has no such member. */
  readonly tier: MemberPlace | null;
  /** Tier in the body. */
  readonly tierSays: string | null;
  /** Member that limits the prices of the endpoint; absent = this provider has no such member. */
  readonly maxPrice?: MaxPricePlace | undefined;
  /** Changes that are always made; null = none. */
  readonly always: ((edits: BodyEdits) => void) | null;
}

const OPEN_OBJECT = 0x7b;

/** Returns a maximum that is a member of the object at `outer`, also where that object is absent. */
export function maximumWithin(body: RequestBody, outer: MemberPlace, name: string, says: number | null): OutputMaximum {
  const object = outer.span;
  if (!object || body.bytes[object.start] !== OPEN_OBJECT) return { place: outer, says, within: name };
  const span = body.find(`${outer.name}.${name}`) ?? null;
  return { place: { span, gap: body.gapAt(object.start), name }, says };
}

export const AS_IT_IS: ForwardTerms = { outputMax: null, tier: null, models: null };
const NO_SPLICES: readonly BodySplice[] = [];

/** Returns the splices that make the body obey the terms. */
export function buildSplices(plan: ForwardPlan, terms: ForwardTerms): readonly BodySplice[] {
  const { tier, tierSays, maxPrice, always } = plan;
  const { outputMax, toolUses = null, thinkingBudget = null } = terms;
  const models = maxPrice === undefined ? null : terms.models;
  if (always === null && outputMax === null && terms.tier === null && models === null && toolUses === null)
    return NO_SPLICES;
  const edits = new BodyEdits();
  if (outputMax !== null) putOutputMaximum(plan.maxima, outputMax, edits);
  if (toolUses !== null)
    for (const { place, says } of plan.toolMaxima ?? [])
      if (says === null || says > toolUses) edits.put(place, `${toolUses}`);
  if (thinkingBudget !== null && plan.thinkingBudget) edits.put(plan.thinkingBudget, `${thinkingBudget}`);
  if (terms.tier !== null && tier !== null && tierSays !== terms.tier) edits.put(tier, JSON.stringify(terms.tier));
  if (maxPrice !== undefined && models !== null) putMaxPrice(maxPrice, models, edits);
  always?.(edits);
  return edits.splices();
}

function putOutputMaximum(maxima: readonly OutputMaximum[], outputMax: number, edits: BodyEdits): void {
  for (const { place, says, within } of maxima)
    if (says === null || says > outputMax)
      edits.put(place, within === undefined ? `${outputMax}` : `{"${within}":${outputMax}}`);
}
