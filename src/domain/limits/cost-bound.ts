import type { CallAmounts } from '../usage/call.ts';
import type { RequestDemand } from './demand.ts';
import { addWhole, divideUp, multiplyWhole, NANO_MAX, PICO_PER_NANO, type WholeAmount } from '../money/money.ts';
import type { Policy } from '../policy/policy.ts';
import type { RateCard } from '../pricing/price.ts';
import { type PicoFraction, sumLines } from '../pricing/pricing.ts';
import { higherPrice, highestRates, FREE_OF_CHARGE, timesRate, type UnitPrice } from '../pricing/highest-rates.ts';
import { USE_CLASSES } from '../usage/usage.ts';

/** The largest context window on any public list; holds for a model whose window is not known. */
const UNKNOWN_WINDOW_TOKENS = 2_000_000;

/** No call uses as much; a figure that says more says nothing, and its product would leave the exact numbers. */
const TOKENS_MAX = 1_000_000_000_000;

/** A model that may answer. */
export interface ModelBounds {
  /** Prices of the model: several around a price change, the highest counts; none = no price. */
  readonly cards: readonly RateCard[];
  /** Output tokens of one answer at most; null = not known. */
  readonly outputMax: number | null;
  /** The provider's largest context window, where a card does not say this model's; absent = not known. */
  readonly windowMax?: number | null;
  /** The window bounds the prompt alone, and an answer of unknown maximum has so many tokens; absent = it bounds both. */
  readonly outputOutsideWindow?: number | null;
  /** Tokens of the results of one web search, by assumption; absent = not known. */
  readonly searchResultTokens?: number | null;
}

/** Known settings of the provider key's account. */
export type HoldTerms = Pick<Policy, 'geo' | 'tier'>;

/** Facts known or decided after the request was read. */
export interface KnownBounds {
  /** Tokens of the prompt at most, from the provider's free counter. */
  readonly inputTokens?: number;
  /** Output tokens of one answer, shortened. */
  readonly outputMax?: number;
  /** Thinking budget, reduced below that of the request. */
  readonly thinkingBudget?: number;
}

export interface CallBounds {
  /** The most the call can use and cost (nano-USD, rounded up; null = it has no price). */
  readonly hold: CallAmounts;
  /** Output tokens of one answer at most. */
  readonly outputMax: number;
  /**
   * Output maximum to forward. null = the request has none and needs none: only the context window bounds the answer, or
   * the maximum may not fit behind this prompt and some providers would refuse the call.
   */
  readonly forwardMax: number | null;
  /** Service tier to forward where the account's settings would decide; null = leave it. */
  readonly tier: string | null;
  /** Why nothing bounds the call; `hold` then has all of it but the unbounded work. null = it is bounded. */
  readonly unbounded: string | null;
}

/**
 * The bound of a demand.
 * @param models the requested one, then those of `otherModels`
 */
export function boundCall(
  demand: RequestDemand,
  models: readonly ModelBounds[],
  terms: HoldTerms,
  given: KnownBounds = {},
): CallBounds {
  const window = largest(models, contextWindow);
  const [asked = NO_MODEL] = models;
  const askedMax = given.outputMax ?? demand.outputMax;
  const modelMax = boundOutput(asked);
  const declared = Math.min(askedMax ?? modelMax, modelMax);
  const liftsMaxUpTo = Math.min(given.thinkingBudget ?? demand.liftsMaxUpTo, demand.liftsMaxUpTo);
  const lifted = liftsMaxUpTo > 0 && declared <= liftsMaxUpTo;
  const outputMax = lifted ? unlistedOutput(asked) : declared;
  const prompt = given.inputTokens ?? boundPrompt(demand, window);
  const mayNotFit = asked.outputMax === null || prompt + outputMax > contextWindow(asked);
  // The maximum that is in the body, or that will be put there, bounds all passes of a tool loop together.
  const isAdded = askedMax === null && !mayNotFit && !demand.outputMaxFixed;
  const isShared = !lifted && (askedMax !== null || isAdded);
  const { passes, loopPasses, loopInput } = boundPasses(demand, asked, { window, prompt, outputMax, isShared });
  const { thoughtTokens } = demand;
  const passOutput = (lifted ? largest(models, unlistedOutput) : largest(models, boundOutput)) + thoughtTokens;
  const picture = draws(demand, models) ? demand.pictureTokens : 0;
  const answer = Math.max(outputMax, Math.min(outputMax + picture, modelMax)) + thoughtTokens;
  const answers = answer * demand.answers * (1 + demand.reruns);
  const outputTokens = Math.min(answers + passes * passOutput, TOKENS_MAX);
  const inputTokens = Math.min(prompt * (1 + demand.reruns) + passes * window + loopPasses * loopInput, TOKENS_MAX);
  const longest = passes > 0 ? Math.max(window, prompt) : Math.max(loopPasses > 0 ? loopInput : 0, prompt);
  const usd = boundCost(demand, models, terms, { inputTokens, outputTokens, longest });
  return {
    hold: { usd, inputTokens, outputTokens },
    outputMax,
    forwardMax: isShared ? outputMax : null,
    tier: terms.tier === null ? demand.pinTier : null,
    unbounded: demand.work.unbounded,
  };
}

/** The demand of a request into which the gateway writes neither a tier nor an output maximum. */
export function asSent(demand: RequestDemand): RequestDemand {
  const { pinTier, outputMax, outputMaxFixed } = demand;
  if (pinTier === null && (outputMax !== null || outputMaxFixed)) return demand;
  return { ...demand, pinTier: null, outputMaxFixed: true };
}

interface PassTerms {
  readonly window: number;
  readonly prompt: number;
  readonly outputMax: number;
  /** One maximum bounds the output of all passes of the loop. */
  readonly isShared: boolean;
}

/** Bounds the passes of the provider's own work. A loop without a shared maximum consists of passes with their own answers. */
function boundPasses(
  { work, reruns }: RequestDemand,
  { searchResultTokens = null }: ModelBounds,
  { window, prompt, outputMax, isShared }: PassTerms,
): { readonly passes: number; readonly loopPasses: number; readonly loopInput: number } {
  const { passes, loopSearches } = work;
  const loopPasses = work.loopPasses * (1 + reruns);
  if (!isShared) return { passes: passes + loopPasses, loopPasses: 0, loopInput: 0 };
  // Each pass reads the prompt, all results and what was generated before it.
  const isKnown = loopSearches !== null && (searchResultTokens !== null || loopSearches === 0);
  const grown = prompt + (loopSearches ?? 0) * (searchResultTokens ?? 0) + outputMax;
  return { passes, loopPasses, loopInput: isKnown ? Math.min(grown, Math.max(window, prompt)) : window };
}

/** Tokens of the prompt at most, or of all prompts of a list together. */
function boundPrompt(
  { textBytes, preambleTokens, mediaTokens, beyondBody, listedWindows }: RequestDemand,
  window: number,
): number {
  const bytes = textBytes + preambleTokens + mediaTokens;
  if (listedWindows !== null) return bytes + listedWindows * window;
  return beyondBody ? window : Math.min(bytes, window);
}

function draws({ media, pictureTokens }: RequestDemand, models: readonly ModelBounds[]): boolean {
  if (!media.imageOut || pictureTokens === 0) return false;
  return models.some(({ cards }) => cards.some(({ tiers }) => tiers[0]?.rates.outputImage !== undefined));
}

const NO_MODEL: ModelBounds = { cards: [], outputMax: null };

interface PricedTokens {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Tokens of the longest single prompt, which decides the length tier. */
  readonly longest: number;
}

/**
 * nano-USD, rounded up once; null if anything that may be used has no price. Each token has the highest
 * model, price, class, length tier, speed, service tier and geography that this call can reach.
 */
function boundCost(
  demand: RequestDemand,
  models: readonly ModelBounds[],
  terms: HoldTerms,
  used: PricedTokens,
): number | null {
  let input: UnitPrice = FREE_OF_CHARGE;
  let output: UnitPrice = FREE_OF_CHARGE;
  for (const { cards } of models) {
    if (cards.length === 0) return null;
    for (const card of cards) {
      const rates = highestRates(card, demand, terms, used.longest);
      if (rates === null) return null;
      input = higherPrice(input, rates.input);
      output = higherPrice(output, rates.output);
    }
  }
  const fees = boundFees(demand, models);
  if (fees === null) return null;
  const sum = addFractions(
    { pico: timesRate(used.inputTokens, input), den: input.den },
    { pico: timesRate(used.outputTokens, output), den: output.den },
    fees,
  );
  const cost = divideUp(sum.pico, multiplyWhole(sum.den, PICO_PER_NANO));
  return Number(cost > NANO_MAX ? NANO_MAX : cost);
}

function addFractions(input: PicoFraction, output: PicoFraction, fees: WholeAmount): PicoFraction {
  if (fees === 0 && input.den === output.den) return { pico: addWhole(input.pico, output.pico), den: input.den };
  return sumLines([{ amount: input }, { amount: output }, { amount: { pico: fees, den: 1 } }]);
}

/** pico-USD of the billed uses, and of each run of the request where a model charges for it; null = a use has no price. */
function boundFees({ work, reruns }: RequestDemand, models: readonly ModelBounds[]): WholeAmount | null {
  let fees = multiplyWhole(1 + reruns, highestRequestFee(models));
  for (const name of USE_CLASSES) {
    const count = work.uses[name] ?? 0;
    if (count === 0) continue;
    const known = models.flatMap(({ cards }) => cards.map((card) => card.fees[name]));
    if (known.some((fee) => fee === undefined)) return null;
    fees = addWhole(fees, multiplyWhole(count, Math.max(...known.map((fee) => fee ?? 0))));
  }
  return fees;
}

function highestRequestFee(models: readonly ModelBounds[]): number {
  let highest = 0;
  for (const { cards } of models) for (const card of cards) highest = Math.max(highest, card.fees.request ?? 0);
  return highest;
}

function boundOutput(model: ModelBounds): number {
  return model.outputMax ?? unlistedOutput(model);
}

/** Output tokens of one answer that no maximum of the model bounds. */
function unlistedOutput(model: ModelBounds): number {
  return Math.max(contextWindow(model), model.outputOutsideWindow ?? 0);
}

function contextWindow({ cards, windowMax }: ModelBounds): number {
  const unknown = windowMax ?? UNKNOWN_WINDOW_TOKENS;
  let window = 0;
  for (const card of cards) window = Math.max(window, card.contextWindow ?? unknown);
  return window === 0 ? unknown : window;
}

function largest(models: readonly ModelBounds[], of: (model: ModelBounds) => number): number {
  let most = 0;
  for (const model of models) most = Math.max(most, of(model));
  return most === 0 ? UNKNOWN_WINDOW_TOKENS : most;
}
