import type { Amounts } from './call.ts';
import type { Demand } from './demand.ts';
import { NANO_MAX } from './money.ts';
import type { Policy } from './policy.ts';
import { holdCost } from './pricing.ts';
import type { RateCard } from './price.ts';

/** The largest context window on any public list; holds for a model whose window is not known. */
const UNKNOWN_WINDOW_TOKENS = 2_000_000;

/** No call generates as much; a maximum that says more says nothing, and its product would leave the exact numbers. */
const OUTPUT_TOKENS_MAX = 1_000_000_000_000;

/** A model that may answer. */
export interface ModelBounds {
  /** Its prices: several around a change, of which the dearest counts; none = it has no price. */
  readonly cards: readonly RateCard[];
  /** Output tokens of one answer at most; null = not known. */
  readonly outputMax: number | null;
}

/** What is known of the provider key's account. */
export type HoldTerms = Pick<Policy, 'geo' | 'tier'>;

/** What was learned or decided since the request was read. */
export interface Given {
  /** Tokens of the prompt at most, from the provider's free counter. */
  readonly inputTokens?: number;
  /** Output tokens of one answer, clamped. */
  readonly outputMax?: number;
}

export interface Bounds {
  /** The most the call can use and cost (nano-USD, rounded up; null = it has no price). */
  readonly hold: Amounts;
  /** The same if the prompt had no tokens: what no count of the prompt can bring it below. */
  readonly outputOnly: Amounts;
  /** Output maximum of one answer, to forward. */
  readonly outputMax: number;
  /** Service tier to forward where the account's settings would decide; null = leave it. */
  readonly tier: string | null;
  /** Why nothing bounds the call (`hold` then leaves the unbounded work out); null = it is bounded. */
  readonly unbounded: string | null;
}

/**
 * The bound of a demand.
 * @param models the one asked for, then those of `otherModels`
 */
export function boundsOf(demand: Demand, models: readonly ModelBounds[], terms: HoldTerms, given: Given = {}): Bounds {
  const [asked] = models;
  const card = asked?.cards[0] ?? null;
  const window = card?.contextWindow ?? UNKNOWN_WINDOW_TOKENS;
  const bytes = demand.textBytes + demand.preambleTokens + demand.mediaTokens;
  const inputTokens = given.inputTokens ?? (demand.beyondBody ? window : Math.min(bytes, window));
  const outputMax = Math.min(given.outputMax ?? demand.outputMax ?? asked?.outputMax ?? window, OUTPUT_TOKENS_MAX);
  const outputTokens = Math.min(outputMax * demand.answers, OUTPUT_TOKENS_MAX);
  const amounts = (input: number): Amounts => ({
    usd: card && Math.min(holdCost(card, { inputTokens: input, outputTokens }), NANO_MAX),
    inputTokens: input,
    outputTokens,
  });
  return {
    hold: amounts(inputTokens),
    outputOnly: amounts(0),
    outputMax,
    tier: demand.pinTier === null || terms.tier !== null ? null : demand.pinTier,
    unbounded: demand.work.unbounded,
  };
}
