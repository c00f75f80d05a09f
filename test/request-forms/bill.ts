import type { RateCard, TokenRates } from '../../src/domain/pricing/price.ts';
import type { TokenClass, UseClass } from '../../src/domain/usage/usage.ts';
import { ANYTHING, type Word } from './readings.ts';

/** What a provider may do at most with a request, by one who read it on his own. */
export interface Reach {
  /** Of every model that may be asked; null = one has no price. */
  readonly cards: (RateCard | null)[];
  /** Tokens of the prompt. Infinity = the whole window. */
  input: number;
  /** Tokens of each prompt of a list, instead of `input`: each has a window of its own. null = there is one prompt. */
  listed: readonly number[] | null;
  /** Tokens of one answer. Infinity = as many as the model can. */
  output: number;
  /** The answer may fill the window, whatever the model's maximum is. */
  lifted: boolean;
  answers: number;
  /** Whole runs on further models. */
  reruns: number;
  /** Further passes, each with a window of input and an answer of its own. */
  passes: number;
  /** Passes that continue the answer, each after another tool; `searches` results are read, or a window (null). */
  loop: { passes: number; searches: number | null };
  /** No field says how much more is done. */
  unbounded: string | null;
  readonly inputClasses: Set<TokenClass>;
  readonly outputClasses: Set<TokenClass>;
  /** Classes that a model has which charges for them, and that occur unless the request says otherwise. */
  readonly maybe: Set<TokenClass>;
  readonly fees: Map<UseClass, number>;
  tiers: Word[];
  speeds: Word[];
  geos: Word[];
}

export function noReach(cards: (RateCard | null)[]): Reach {
  return {
    cards,
    input: 0,
    listed: null,
    output: 0,
    lifted: false,
    answers: 1,
    reruns: 0,
    passes: 0,
    loop: { passes: 0, searches: 0 },
    unbounded: null,
    inputClasses: new Set(['input']),
    outputClasses: new Set(['output']),
    maybe: new Set(),
    fees: new Map(),
    tiers: [],
    speeds: [],
    geos: [],
  };
}

/** Windows and answers of models that no list bounds. */
const UNKNOWN_TOKENS = 2_000_000;

/**
 * The dearest bill in nano-USD; Infinity = no figure bounds it or no price names it.
 * @param outputMax of one answer of the model asked for; null = not known
 */
export function highestBill(reach: Reach, outputMax: number | null): number {
  if (reach.unbounded !== null || reach.cards.includes(null)) return Infinity;
  const cards = reach.cards.filter((card) => card !== null);
  let highest = 0;
  for (const card of cards) highest = Math.max(highest, onCard(card, cards, reach, outputMax));
  highest += (Math.max(...cards.map(({ fees }) => fees.request ?? 0)) * (1 + reach.reruns)) / 1_000;
  for (const [use, count] of reach.fees) {
    const fees = cards.map(({ fees: known }) => known[use]);
    if (fees.includes(undefined)) return Infinity;
    highest += (count * Math.max(...fees.map((fee) => fee ?? 0))) / 1_000;
  }
  return highest;
}

/** What one web search is assumed to find, in tokens. */
const SEARCH_TOKENS = 12_000;
/** A picture is not cut at the maximum. */
const PICTURE_TOKENS = 1_290;

function onCard(card: RateCard, all: readonly RateCard[], reach: Reach, outputMax: number | null): number {
  const window = Math.max(...all.map(({ contextWindow }) => contextWindow ?? UNKNOWN_TOKENS));
  const ownWindow = all[0]?.contextWindow ?? UNKNOWN_TOKENS;
  const most = reach.lifted ? ownWindow : (outputMax ?? ownWindow);
  const drawn = [...reach.outputClasses, ...reach.maybe].includes('outputImage') && card.tiers[0]?.rates.outputImage;
  const output = reach.lifted ? ownWindow : Math.min(reach.output + (drawn ? PICTURE_TOKENS : 0), most);
  const prompt = (reach.listed ?? [reach.input]).reduce((sum, tokens) => sum + Math.min(tokens, window), 0);
  // The maximum of the request ends the whole loop; without one each pass may be as long as the model can.
  const ends = Number.isFinite(reach.output) && !reach.lifted;
  const results = reach.loop.searches === null ? Infinity : reach.loop.searches * SEARCH_TOKENS;
  const loopPrompt = ends ? Math.min(window, prompt + results + output) : window;
  const longest = reach.passes > 0 ? window : Math.max(prompt, reach.loop.passes > 0 ? loopPrompt : 0);
  const rates = ratesOf(card, longest, reach.speeds);
  const input = highestPrice(rates, reach.inputClasses, reach.maybe, 'cacheRead');
  const answer = highestPrice(rates, reach.outputClasses, reach.maybe, 'output');
  const tokensIn = prompt * (1 + reach.reruns) + window * reach.passes + loopPrompt * reach.loop.passes;
  const tokensOut =
    output * reach.answers * (1 + reach.reruns) + most * (reach.passes + (ends ? 0 : reach.loop.passes));
  const pico = tokensIn * input + (tokensOut > 0 ? tokensOut * answer : 0);
  return (pico * multiplier(card.tierMultipliers, reach.tiers) * multiplier(card.geoMultipliers, reach.geos)) / 1_000;
}

function ratesOf(card: RateCard, longest: number, speeds: readonly Word[]): TokenRates[] {
  const rates = card.tiers.filter(({ above }) => above < 0 || above < longest).map((tier) => tier.rates);
  for (const speed of speeds)
    if (speed === ANYTHING) rates.push(...Object.values(card.speeds));
    else if (Object.hasOwn(card.speeds, speed)) rates.push(card.speeds[speed] ?? {});
  return rates;
}

function highestPrice(
  rates: readonly TokenRates[],
  classes: ReadonlySet<TokenClass>,
  maybe: ReadonlySet<TokenClass>,
  also: TokenClass,
): number {
  let most = 0;
  for (const each of rates) {
    for (const name of classes) most = Math.max(most, each[name] ?? Infinity);
    for (const name of maybe)
      if (name.startsWith('output') === (also === 'output')) most = Math.max(most, each[name] ?? 0);
  }
  return most;
}

/** The dearest of those that the words may name. A discount, and a word for which nothing is sold, are the plain price. */
function multiplier(known: RateCard['tierMultipliers'], said: readonly Word[]): number {
  let most = 1;
  for (const [word, { num, den }] of Object.entries(known))
    if (said.includes(word) || said.includes(ANYTHING)) most = Math.max(most, num / den);
  return most;
}
