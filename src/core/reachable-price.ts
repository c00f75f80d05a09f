import type { Demand } from './demand.ts';
import { multiplyWhole, type Whole } from './money.ts';
import type { Policy } from './policy.ts';
import type { Multiplier, RateCard, Rates } from './price.ts';
import { isPlainGeo, isPlainSpeed, isPlainTier } from './pricing.ts';
import { OUTPUT_CLASSES, type TokenClass } from './usage.ts';

/** `rate × num / den` pico-USD per token. */
export interface UnitPrice {
  readonly rate: number;
  readonly num: number;
  readonly den: number;
}

export const FREE_OF_CHARGE: UnitPrice = { rate: 0, num: 1, den: 1 };
const ONE: Multiplier = { num: 1, den: 1 };

/**
 * The dearest price of a token of input and of output that a call can reach on this card; null = it may reach one that
 * the card doesn't tell.
 * @param longest tokens of the longest prompt
 */
export function dearestRates(
  card: RateCard,
  demand: Demand,
  terms: Pick<Policy, 'geo' | 'tier'>,
  longest: number,
): { readonly input: UnitPrice; readonly output: UnitPrice } | null {
  const tier = tierOf(card, demand, terms.tier);
  const geo = geoOf(card, demand.geo, terms.geo);
  if (tier === null || geo === null) return null;
  const sets = rateSets(card, demand.speed, longest);
  if (sets === null || lacksLifetime(sets, demand.cacheWrites)) return null;
  const multiplier = { num: tier.num * geo.num, den: tier.den * geo.den };
  let [input, output] = [0, 0];
  for (const rates of sets) {
    input = Math.max(input, inputRate(rates, demand));
    output = Math.max(output, outputRate(rates, demand));
  }
  return { input: { rate: input, ...multiplier }, output: { rate: output, ...multiplier } };
}

export function dearerOf(a: UnitPrice, b: UnitPrice): UnitPrice {
  return multiplyWhole(multiplyWhole(b.rate, b.num), a.den) > multiplyWhole(multiplyWhole(a.rate, a.num), b.den)
    ? b
    : a;
}

/** Numerator of the price of so many tokens; its denominator is the unit's. */
export function timesRate(tokens: number, { rate, num }: UnitPrice): Whole {
  return multiplyWhole(multiplyWhole(tokens, rate), num);
}

/** The rates of every length that a prompt can have, and of the speed that was asked for, which may not be granted. */
function rateSets(card: RateCard, speed: string | null, longest: number): Rates[] | null {
  const sets: Rates[] = [];
  for (const tier of card.tiers) if (tier.above < longest || tier.above < 0) sets.push(tier.rates);
  if (isPlainSpeed(speed)) return sets;
  const fast = Object.hasOwn(card.speeds, speed) ? card.speeds[speed] : undefined;
  if (!fast) return null;
  sets.push(fast);
  return sets;
}

/** The body asks for cache writes of a lifetime without a price, on a model that prices others. */
function lacksLifetime(sets: readonly Rates[], writes: Demand['cacheWrites']): boolean {
  if (writes !== '1h' && writes !== '12h') return false;
  const name: TokenClass = writes === '1h' ? 'cacheWrite1h' : 'cacheWrite12h';
  return sets.some((rates) => rates[name] === undefined && (rates.cacheWrite ?? rates.cacheWrite5m) !== undefined);
}

/** Writes that nobody asked for are only made by providers that name no lifetime. */
function inputRate(rates: Rates, { cacheWrites, media }: Demand): number {
  let most = Math.max(rates.input ?? 0, rates.cacheRead ?? 0);
  if (rates.cacheWrite5m === undefined || cacheWrites !== 'none') most = Math.max(most, rates.cacheWrite ?? 0);
  if (cacheWrites !== 'none') most = Math.max(most, rates.cacheWrite5m ?? 0);
  if (cacheWrites === '1h') most = Math.max(most, rates.cacheWrite1h ?? 0);
  if (cacheWrites === '12h') most = Math.max(most, rates.cacheWrite12h ?? 0);
  if (media.audioIn) most = Math.max(most, rates.inputAudio ?? 0, rates.cacheReadAudio ?? 0);
  return media.imageIn ? Math.max(most, rates.inputImage ?? 0) : most;
}

function outputRate(rates: Rates, { media }: Demand): number {
  let most = rates.output ?? 0;
  // A model that only speaks, or only draws, does so without being asked.
  const only = rates.output === undefined;
  for (const name of OUTPUT_CLASSES)
    if (only || (name === 'outputAudio' && media.audioOut) || (name === 'outputImage' && media.imageOut))
      most = Math.max(most, rates[name] ?? 0);
  return most;
}

/** The tier that was asked for may not be granted, and a discount is not sure: never below the plain price. */
function tierOf(card: RateCard, { tier, pinTier }: Demand, ofKey: string | null): Multiplier | null {
  const known = largestOf(Object.values(card.tierMultipliers));
  const word = tier ?? ofKey ?? pinTier;
  if (word === null) return known;
  if (Object.hasOwn(card.tierMultipliers, word)) return largestOf([card.tierMultipliers[word] ?? ONE]);
  if (isPlainTier(word) || DISCOUNTS.has(word)) return ONE;
  // What the request names and no price knows has none; a key's setting may be a name of the operator's own.
  return tier === null ? known : null;
}

/** A geography that neither the body nor the key's settings name is the dearest one. */
function geoOf(card: RateCard, asked: string | null, ofKey: string | null): Multiplier | null {
  const known = Object.values(card.geoMultipliers);
  if (known.length === 0) return ONE;
  const word = asked ?? ofKey;
  if (word !== null && Object.hasOwn(card.geoMultipliers, word)) return largestOf([card.geoMultipliers[word] ?? ONE]);
  if (word !== null && isPlainGeo(word)) return ONE;
  return asked === null ? largestOf(known) : null;
}

/** Tiers that cost less wherever they are sold. */
const DISCOUNTS: ReadonlySet<string> = new Set(['batch', 'flex']);

/** The largest of some multipliers and 1. */
function largestOf(multipliers: readonly Multiplier[]): Multiplier {
  let largest = ONE;
  for (const each of multipliers) if (each.num * largest.den > largest.num * each.den) largest = each;
  return largest;
}
