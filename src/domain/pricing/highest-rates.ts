import type { RequestDemand } from '../limits/demand.ts';
import { multiplyWhole, type WholeAmount } from '../money/money.ts';
import type { Policy } from '../policy/policy.ts';
import type { PriceMultiplier, RateCard, TokenRates } from './price.ts';
import { isPlainGeo, isPlainSpeed, isPlainTier } from './pricing.ts';
import { INPUT_CLASSES, OUTPUT_CLASSES, type TokenClass } from '../usage/usage.ts';

/** `rate × num / den` pico-USD per token. */
export interface UnitPrice {
  readonly rate: number;
  readonly num: number;
  readonly den: number;
}

export const FREE_OF_CHARGE: UnitPrice = { rate: 0, num: 1, den: 1 };
const ONE: PriceMultiplier = { num: 1, den: 1 };

/**
 * The highest price of a token of input and of output that a call can reach on this card; null = it may reach one that
 * the card doesn't tell.
 * @param longest tokens of the longest prompt
 */
export function highestRates(
  card: RateCard,
  demand: RequestDemand,
  terms: Pick<Policy, 'geo' | 'tier'>,
  longest: number,
): { readonly input: UnitPrice; readonly output: UnitPrice } | null {
  const tier = reachableTier(card, demand, terms.tier);
  const geo = reachableGeo(card, demand.geo, terms.geo);
  if (tier === null || geo === null) return null;
  const contract = card.contractMultiplier ?? ONE;
  const num = tier.num * geo.num * contract.num;
  const den = tier.den * geo.den * contract.den;
  const most = new HighestRates(card, demand);
  for (const { above, rates } of card.tiers) if ((above < longest || above < 0) && !most.take(rates)) return null;
  // The requested speed may not be granted, so either may be charged.
  if (!isPlainSpeed(demand.speed)) {
    const fast = Object.hasOwn(card.speeds, demand.speed) ? card.speeds[demand.speed] : undefined;
    if (!fast || !most.take(fast)) return null;
  }
  return { input: { rate: most.input, num, den }, output: { rate: most.output, num, den } };
}

/** The highest of the rates that a call can reach. */
class HighestRates {
  input = 0;
  output = 0;
  readonly #card: RateCard;
  readonly #demand: RequestDemand;

  constructor(card: RateCard, demand: RequestDemand) {
    this.#card = card;
    this.#demand = demand;
  }

  /** False = they don't cover all that the call may be charged for. */
  take(rates: TokenRates): boolean {
    this.input = Math.max(this.input, inputRate(rates, this.#demand));
    this.output = Math.max(this.output, outputRate(rates, this.#demand));
    const { cacheWrites } = this.#demand;
    if (lacksLifetime(rates, cacheWrites) || lacksClass(rates, this.#demand)) return false;
    return !lacksUnasked(rates, this.#demand, this.#card);
  }
}

export function higherPrice(a: UnitPrice, b: UnitPrice): UnitPrice {
  return multiplyWhole(multiplyWhole(b.rate, b.num), a.den) > multiplyWhole(multiplyWhole(a.rate, a.num), b.den)
    ? b
    : a;
}

/** Numerator of the price of so many tokens; its denominator is the unit's. */
export function timesRate(tokens: number, { rate, num }: UnitPrice): WholeAmount {
  return multiplyWhole(multiplyWhole(tokens, rate), num);
}

/** The body asks for cache writes of a lifetime without a price, on a model that prices others. */
function lacksLifetime(rates: TokenRates, writes: RequestDemand['cacheWrites']): boolean {
  if (writes !== '1h' && writes !== '12h') return false;
  const own = writes === '1h' ? rates.cacheWrite1h : rates.cacheWrite12h;
  return own === undefined && (rates.cacheWrite ?? rates.cacheWrite5m) !== undefined;
}

/** The body asks for a class of tokens that has no price; or for text in or out, where no kind of it has one. */
function lacksClass(rates: TokenRates, { asked, outputMax }: RequestDemand): boolean {
  for (const name of asked) if (rates[name] === undefined) return true;
  // Nearly every price names both.
  if (rates.input === undefined && !hasAnyRate(rates, INPUT_CLASSES)) return true;
  return rates.output === undefined && outputMax !== 0 && !hasAnyRate(rates, OUTPUT_CLASSES);
}

/** A name of a model that draws, or speaks, without being asked. */
const DRAWS = /(?:^|[^a-z])(?:images?|banana|flux)(?:[^a-z]|$)/i;
const SPEAKS = /(?:^|[^a-z])(?:audio|tts|speech|voice)(?:[^a-z]|$)/i;
const LISTED_BY_USER = 'user';

/**
 * Tests whether a model may answer with pictures or sound that have no price: the request allows it and the model's name
 * suggests it. A custom price covers all output.
 */
function lacksUnasked(rates: TokenRates, { media }: RequestDemand, { model, source }: RateCard): boolean {
  if (source === LISTED_BY_USER) return false;
  if (media.imageOut && rates.outputImage === undefined && DRAWS.test(model)) return true;
  return media.audioOut && rates.outputAudio === undefined && SPEAKS.test(model);
}

function hasAnyRate(rates: TokenRates, classes: readonly TokenClass[]): boolean {
  for (const name of classes) if (rates[name] !== undefined) return true;
  return false;
}

/**
 * Returns the highest input rate. Providers write to the cache without a request only if their prices name no lifetime.
 */
function inputRate(rates: TokenRates, { cacheWrites, media }: RequestDemand): number {
  let most = Math.max(rates.input ?? 0, rates.cacheRead ?? 0);
  if (rates.cacheWrite5m === undefined || cacheWrites !== 'none') most = Math.max(most, rates.cacheWrite ?? 0);
  if (cacheWrites !== 'none') most = Math.max(most, rates.cacheWrite5m ?? 0);
  if (cacheWrites === '1h') most = Math.max(most, rates.cacheWrite1h ?? 0);
  if (cacheWrites === '12h') most = Math.max(most, rates.cacheWrite12h ?? 0);
  if (media.audioIn) most = Math.max(most, rates.inputAudio ?? 0, rates.cacheReadAudio ?? 0);
  return media.imageIn ? Math.max(most, rates.inputImage ?? 0) : most;
}

function outputRate(rates: TokenRates, { media }: RequestDemand): number {
  let most = rates.output ?? 0;
  // A model that only speaks, or only draws, does so without being asked.
  const only = rates.output === undefined;
  for (const name of OUTPUT_CLASSES)
    if (only || (name === 'outputAudio' && media.audioOut) || (name === 'outputImage' && media.imageOut))
      most = Math.max(most, rates[name] ?? 0);
  return most;
}

/** The requested tier may not be granted, and a discount is not certain: never below the default price. */
function reachableTier(card: RateCard, { tier, pinTier }: RequestDemand, ofKey: string | null): PriceMultiplier | null {
  const known = largestMultiplier(card.tierMultipliers);
  const word = tier ?? ofKey ?? pinTier;
  if (word === null) return known;
  if (Object.hasOwn(card.tierMultipliers, word)) return atLeastOne(card.tierMultipliers[word] ?? ONE);
  if (isPlainTier(word) || DISCOUNTS.has(word)) return ONE;
  // What the request names and no price knows has none; a key's setting may be a name of the operator's own.
  return tier === null ? known : null;
}

/** A region that neither the body nor the key's settings name is the most expensive one. */
function reachableGeo(card: RateCard, asked: string | null, ofKey: string | null): PriceMultiplier | null {
  const known = card.geoMultipliers;
  const word = asked ?? ofKey;
  if (word === null) return largestMultiplier(known);
  if (Object.hasOwn(known, word)) return atLeastOne(known[word] ?? ONE);
  if (isPlainGeo(word) || isEmpty(known)) return ONE;
  return asked === null ? largestMultiplier(known) : null;
}

/** Tiers that cost less wherever they are sold. */
const DISCOUNTS: ReadonlySet<string> = new Set(['batch', 'flex']);

/** The largest of some multipliers and 1. */
function largestMultiplier(multipliers: Readonly<Record<string, PriceMultiplier>>): PriceMultiplier {
  let largest = ONE;
  for (const word in multipliers) largest = largerMultiplier(multipliers[word] ?? ONE, largest);
  return largest;
}

function atLeastOne(multiplier: PriceMultiplier): PriceMultiplier {
  return largerMultiplier(multiplier, ONE);
}

function largerMultiplier(a: PriceMultiplier, b: PriceMultiplier): PriceMultiplier {
  return a.num * b.den > b.num * a.den ? a : b;
}

function isEmpty(record: object): boolean {
  for (const _ in record) return false;
  return true;
}
