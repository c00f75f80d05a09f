import {
  addWhole,
  divideHalfUp,
  multiplyWhole,
  narrow,
  NANO_MAX,
  PICO_PER_NANO,
  type WholeAmount,
} from '../money/money.ts';
import type { PriceMultiplier, RateCard, TokenRates } from './price.ts';
import {
  TOKEN_CLASSES,
  USE_CLASSES,
  type FeeClass,
  inputTokens,
  type Inference,
  type ServiceTerms,
  type TokenClass,
  type Usage,
} from '../usage/usage.ts';

/** Finds the price of a model at the time of the call; null = none is known. */
export type ResolveCard = (model: string) => RateCard | null;

export interface PricedUsage {
  /** nano-USD, rounded half up once; null = unknown. */
  readonly cost: number | null;
  /** Versions of the cards that gave the cost; empty = none did. */
  readonly versions: readonly string[];
  /** A sentence that says what has no price; null when there is a cost. */
  readonly missing: string | null;
  /** The cost is that of the shortest prompts, and the provider may have charged for longer ones. */
  readonly lengthUnsure: boolean;
}

/** One class of one inference, or one kind of use. The exact sum of a call's lines rounds to its cost. */
export interface PriceLine {
  /** Index in the usage's inferences; null = billed per use. */
  readonly inference: number | null;
  readonly model: string;
  readonly item: TokenClass | FeeClass;
  readonly count: number;
  /** pico-USD per token or per use, before the multiplier. */
  readonly rate: number;
  readonly multiplier: PriceMultiplier;
  readonly amount: PicoFraction;
}

/** `pico / den` pico-USD, exact. */
export interface PicoFraction {
  readonly pico: WholeAmount;
  readonly den: WholeAmount;
}

export interface PricedLines {
  readonly lines: readonly PriceLine[];
  readonly versions: readonly string[];
  readonly missing: string | null;
  readonly lengthUnsure: boolean;
}

const ONE: PriceMultiplier = { num: 1, den: 1 };
/** Words that change nothing. Any other word must be on the card, or the price is unknown. */
const PLAIN_TIERS: ReadonlySet<string> = new Set(['standard', 'default', 'on_demand', 'unspecified']);
const PLAIN_GEOS: ReadonlySet<string> = new Set(['global', 'not_available']);
const PLAIN_SPEED = 'standard';
/** A model's name comes from the wire. */
const SHOWN_NAME_MAX = 100;

/**
 * Prices one answered call: base rate by the inference's own prompt length → speed → tier and geography in one
 * fraction → sum over token classes → fees per use. Rounded once, at the end.
 */
export function priceUsage(usage: Usage, callModel: string, resolve: ResolveCard): PricedUsage {
  return priceOnePass(usage, callModel, resolve) ?? priceByLines(usage, callModel, resolve);
}

/**
 * The commonest case without its lines: one pass, no fee, everything has a price. null = it is another case. Nothing in it
 * is taken apart as a list, which before code is optimized makes more garbage than all else about a price.
 */
function priceOnePass({ inferences, terms, uses }: Usage, callModel: string, resolve: ResolveCard): PricedUsage | null {
  const pass = inferences[0];
  if (!pass || inferences.length > 1 || pass.promptTokens === null) return null;
  if (hasUses(uses)) return null;
  const card = resolve(pass.model ?? callModel);
  if ((pass.model === null ? card : resolve(callModel))?.fees.request !== undefined) return null;
  const rates = card && ratesFor(card, pass.promptTokens, terms.speed);
  const tier = card && findMultiplier(card.tierMultipliers, terms.tier, PLAIN_TIERS);
  const geo = card && geoMultiplier(card, terms.geo);
  if (!rates || !tier || !geo) return null;
  if (tier !== ONE && tierExceptions(card, terms.tier).length > 0) return null;
  const pico = plainSum(pass.tokens, rates);
  if (pico === null) return null;
  const { num, den } = callMultiplier(card, tier, geo);
  const cost = roundToNano({ pico: multiplyWhole(pico, num), den });
  return cost > NANO_MAX ? null : { cost: Number(cost), versions: [card.version], missing: null, lengthUnsure: false };
}

function hasUses(uses: Readonly<Record<string, number | undefined>>): boolean {
  for (const item in uses) if (uses[item]) return true;
  return false;
}

/** Only the few classes that are there are looked at. null = there is more to it than counts and their rates. */
function plainSum(counts: Readonly<Record<string, number>>, rates: Readonly<Record<string, number>>): number | null {
  let pico = 0;
  for (const item in counts) {
    const count = counts[item];
    if (!count) continue;
    const rate = rates[item];
    if (typeof rate !== 'number' || !Number.isSafeInteger(count) || count < 0) return null;
    pico += count * rate;
  }
  return pico > Number.MAX_SAFE_INTEGER ? null : pico;
}

function priceByLines(usage: Usage, callModel: string, resolve: ResolveCard): PricedUsage {
  const { lines, versions, missing, lengthUnsure } = priceLines(usage, callModel, resolve);
  if (missing !== null) return unpriced(missing);
  const cost = roundToNano(sumLines(lines));
  if (cost > NANO_MAX) return unpriced('The usage costs more than an entry can hold.');
  return { cost: Number(cost), versions, missing: null, lengthUnsure };
}

export function isPlainTier(word: string): boolean {
  return PLAIN_TIERS.has(word);
}

export function isPlainGeo(word: string): boolean {
  return PLAIN_GEOS.has(word);
}

/** Nothing said, or the ordinary speed. */
export function isPlainSpeed(word: string | null): word is typeof PLAIN_SPEED | null {
  return word === null || word === PLAIN_SPEED;
}

function unpriced(missing: string): PricedUsage {
  return { cost: null, versions: [], missing, lengthUnsure: false };
}

/**
 * The lines behind a cost, for people. What has no price has no line and is named in `missing` (the first such).
 * @param calls pays the fee per request so many times
 */
export function priceLines(usage: Usage, callModel: string, resolve: ResolveCard, calls = 1): PricedLines {
  const bill = new LineCollector();
  usage.inferences.forEach((inference, index) => {
    const model = inference.model ?? callModel;
    priceInference(bill, index, model, resolve(model), inference, usage.terms);
  });
  priceUses(bill, usage, callModel, resolve);
  if (calls > 0) priceRequests(bill, calls, callModel, resolve);
  return bill;
}

/** Collects lines, versions and the first thing that has no price. */
class LineCollector implements PricedLines {
  readonly lines: PriceLine[] = [];
  readonly versions: string[] = [];
  missing: string | null = null;
  lengthUnsure = false;

  miss(sentence: string): void {
    this.missing ??= sentence;
  }

  usedCard(card: RateCard): void {
    if (!this.versions.includes(card.version)) this.versions.push(card.version);
  }
}

function priceInference(
  bill: LineCollector,
  index: number,
  model: string,
  card: RateCard | null,
  inference: Inference,
  terms: ServiceTerms,
): void {
  if (!TOKEN_CLASSES.some((name) => inference.tokens[name])) {
    if (card) bill.usedCard(card);
    return;
  }
  if (!card) return bill.miss(`There is no price for ${quoteName(model)}.`);
  bill.usedCard(card);
  const rates = ratesFor(card, inference.promptTokens, terms.speed);
  if (inference.promptTokens === null && mayBeLong(card, inference.tokens)) bill.lengthUnsure = true;
  if (!rates) return bill.miss(`${quoteName(model)} has no price at speed ${quoteName(terms.speed)}.`);
  const tier = findMultiplier(card.tierMultipliers, terms.tier, PLAIN_TIERS);
  if (!tier) return bill.miss(`${quoteName(model)} has no price at service tier ${quoteName(terms.tier)}.`);
  const geo = geoMultiplier(card, terms.geo);
  if (!geo) return bill.miss(`${quoteName(model)} has no price in geography ${quoteName(terms.geo)}.`);
  const exceptions = tierExceptions(card, terms.tier);
  for (const item of TOKEN_CLASSES) {
    const count = inference.tokens[item];
    const multiplier = callMultiplier(card, exceptions.includes(item) ? ONE : tier, geo);
    if (count) addLine(bill, { inference: index, model, item, count, rate: rates[item], multiplier });
  }
}

/** Fees are the call's own model's, and no multiplier applies to them. */
function priceUses(bill: LineCollector, usage: Usage, callModel: string, resolve: ResolveCard): void {
  const used = USE_CLASSES.filter((item) => usage.uses[item]);
  if (used.length === 0) return;
  const card = resolve(callModel);
  if (!card) return bill.miss(`There is no price for ${quoteName(callModel)}.`);
  bill.usedCard(card);
  for (const item of used)
    addLine(bill, {
      inference: null,
      model: callModel,
      item,
      count: usage.uses[item] ?? 0,
      rate: card.fees[item],
      multiplier: ONE,
    });
}

/** Adds the fee per call of models that charge one. */
function priceRequests(bill: LineCollector, count: number, model: string, resolve: ResolveCard): void {
  const card = resolve(model);
  const rate = card?.fees.request;
  if (!card || rate === undefined) return;
  bill.usedCard(card);
  addLine(bill, { inference: null, model, item: 'request', count, rate, multiplier: ONE });
}

interface LineDraft extends Omit<PriceLine, 'rate' | 'amount'> {
  readonly rate: number | undefined;
}

function addLine(bill: LineCollector, draft: LineDraft): void {
  const { count, rate, multiplier } = draft;
  if (rate === undefined) return bill.miss(`${quoteName(draft.model)} has no price for ${draft.item}.`);
  if (!Number.isSafeInteger(count) || count < 0) return bill.miss(`The count of ${draft.item} is not a whole number.`);
  const pico = multiplyWhole(multiplyWhole(count, rate), multiplier.num);
  bill.lines.push({ ...draft, rate, amount: { pico, den: multiplier.den } });
}

/** The whole request pays the rates of the longest tier that its prompt passes: strictly above the step. */
function ratesFor(card: RateCard, promptTokens: number | null, speed: string | null): TokenRates | null {
  if (!isPlainSpeed(speed)) return Object.hasOwn(card.speeds, speed) ? (card.speeds[speed] ?? null) : null;
  return card.tiers.findLast(({ above }) => (promptTokens ?? 0) > above)?.rates ?? null;
}

/** All passes together pass a step of the price; whether one of them did is not known. */
function mayBeLong(card: RateCard, tokens: Inference['tokens']): boolean {
  const longest = inputTokens(tokens);
  return card.tiers.some((tier) => tier.above >= 0 && longest > tier.above);
}

/** Own properties only: the word comes from the wire and could be `constructor`. */
function findMultiplier(
  known: Readonly<Record<string, PriceMultiplier>>,
  word: string | null,
  plain: ReadonlySet<string>,
): PriceMultiplier | null {
  if (word !== null && Object.hasOwn(known, word)) return known[word] ?? null;
  return word === null || plain.has(word) ? ONE : null;
}

const NO_CLASSES: readonly TokenClass[] = [];

/** Returns the token classes that cost as much at a service tier as without it. */
export function tierExceptions({ tierExceptions: known }: RateCard, word: string | null): readonly TokenClass[] {
  return known !== undefined && word !== null && Object.hasOwn(known, word) ? (known[word] ?? NO_CLASSES) : NO_CLASSES;
}

/** A card without geographies costs the same everywhere. */
function geoMultiplier(card: RateCard, geo: string | null): PriceMultiplier | null {
  const known = findMultiplier(card.geoMultipliers, geo, PLAIN_GEOS);
  return known ?? (Object.keys(card.geoMultipliers).length === 0 ? ONE : null);
}

function callMultiplier(card: RateCard, tier: PriceMultiplier, geo: PriceMultiplier): PriceMultiplier {
  const listed = combineMultipliers(tier, geo);
  return card.contractMultiplier ? combineMultipliers(listed, card.contractMultiplier) : listed;
}

function combineMultipliers(a: PriceMultiplier, b: PriceMultiplier): PriceMultiplier {
  if (a === ONE) return b;
  if (b === ONE) return a;
  return { num: a.num * b.num, den: a.den * b.den };
}

/** The exact sum of lines. */
export function sumLines(lines: readonly Pick<PriceLine, 'amount'>[]): PicoFraction {
  let pico: WholeAmount = 0;
  let den: WholeAmount = lines[0]?.amount.den ?? 1;
  for (const { amount } of lines) {
    // Nearly always all lines have the same denominator.
    if (amount.den === den) {
      pico = addWhole(pico, amount.pico);
      continue;
    }
    const common = leastCommonMultiple(BigInt(den), BigInt(amount.den));
    pico = multiplyWhole(pico, narrow(common / BigInt(den)));
    den = narrow(common);
    pico = addWhole(pico, multiplyWhole(amount.pico, narrow(common / BigInt(amount.den))));
  }
  return { pico, den };
}

/** nano-USD, half up. */
export function roundToNano(amount: PicoFraction): WholeAmount {
  return divideHalfUp(amount.pico, multiplyWhole(amount.den, PICO_PER_NANO));
}

function leastCommonMultiple(a: bigint, b: bigint): bigint {
  let [x, y] = [a, b];
  while (y !== 0n) [x, y] = [y, x % y];
  return (a / x) * b;
}

function quoteName(name: string | null): string {
  return `"${(name ?? '').slice(0, SHOWN_NAME_MAX)}"`;
}
