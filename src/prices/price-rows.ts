import { TollbookError } from '../domain/errors.ts';
import { parseDecimal, PICO_DIGITS } from '../domain/money/money.ts';
import {
  type LengthTier,
  PRICE_USD_MAX,
  type PriceMultiplier,
  type RateCard,
  type TokenRates,
} from '../domain/pricing/price.ts';
import { FEE_CLASSES, type FeeClass, TOKEN_CLASSES, type TokenClass } from '../domain/usage/usage.ts';

/**
 * Prices as people write them: dollars per million tokens as decimal text. The project's data files, refreshed prices and
 * custom prices share this format. `price-schema.ts` validates the latter two first.
 */

/** USD per million tokens by class. */
export type RateTexts = Partial<Record<TokenClass, string | undefined>>;

/** Members that modify the rates of a price. */
export interface PriceModifiers {
  readonly speeds?: Readonly<Record<string, RateTexts | undefined>> | undefined;
  /** Factors by service tier: `0.5` or `5/3`. */
  readonly tierMultipliers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly geoMultipliers?: Readonly<Record<string, string | undefined>> | undefined;
  /** USD per use; `request` per call. */
  readonly fees?: Partial<Record<FeeClass, string | undefined>> | undefined;
  /** Tokens. */
  readonly contextWindow?: number | undefined;
}

interface DailyHours {
  readonly from: string;
  readonly until: string;
  /** Applies only from Monday to Friday. */
  readonly workdays?: boolean | undefined;
}

/** One price in one period. */
export interface PriceFields extends PriceModifiers {
  /** First day (00:00 UTC) or instant; absent = always. */
  readonly from?: string | undefined;
  /** First day or instant at which it no longer applies; absent = open. */
  readonly until?: string | undefined;
  /** Hours of each UTC day in which it applies (`01:00`); absent = all day. If several prices apply, the last one wins. */
  readonly daily?: DailyHours | undefined;
  readonly usdPerMillion: RateTexts;
  /** Rates of the whole request if its prompt is strictly longer than `above` tokens. */
  readonly longPrompts?: readonly { readonly above: number; readonly usdPerMillion: RateTexts }[] | undefined;
}

export interface PriceRow extends PriceFields {
  /** All names. The first one is shown. */
  readonly models: readonly string[];
  readonly source: string;
}

/** Adds missing figures to prices, and changes no existing rate, factor or fee. */
export interface PatchRow extends PriceModifiers {
  /** `*` = every model of the provider. */
  readonly models: readonly string[];
  readonly usdPerMillion?: RateTexts | undefined;
  /** Classes whose rates a service tier leaves as they are. */
  readonly tierExceptions?: RateCard['tierExceptions'] | undefined;
  /** For prices without length tiers. */
  readonly longPrompts?: readonly LongPromptFactors[] | undefined;
  readonly source: string;
}

/** Multiples of all rates for input and for output when the prompt is strictly longer than `above` tokens. */
export interface LongPromptFactors {
  readonly above: number;
  /** `2`, or `3/2`. */
  readonly input: string;
  readonly output: string;
}

/** Models without a price, because their price in the base list leaves out a charge or is that of the past. */
export interface WithdrawnRow {
  readonly models: readonly string[];
  /** One of `WITHDRAWN_REASONS`, by which the schema checks it: the models do not count as listed. Absent = they do, and lack a price. */
  readonly reason?: string | undefined;
  /** The charge that is left out, or the end of the model, and where it is documented. */
  readonly source: string;
}

/** Other names of a listed model, with the same price. */
interface AliasRow {
  readonly models: readonly string[];
  readonly of: string;
  readonly source: string;
}

export type ClassMultiples = Partial<Record<TokenClass, { readonly of: string; readonly factor: number } | undefined>>;

/** Prices of one provider. */
export interface PriceFile {
  readonly provider: string;
  /** Other price lists whose models this provider sells too, at their prices unless a row here says otherwise. */
  readonly includes?: readonly string[] | undefined;
  /** Class without a rate → class whose rate applies. */
  readonly sameAs?: Partial<Record<TokenClass, string | undefined>> | undefined;
  /** Class without a rate → whole multiple of a class with one. These rates come before `sameAs`. */
  readonly multiples?: ClassMultiples | undefined;
  readonly prices: readonly PriceRow[];
  readonly patches?: readonly PatchRow[] | undefined;
  readonly aliases?: readonly AliasRow[] | undefined;
  readonly withdrawn?: readonly WithdrawnRow[] | undefined;
}

export interface SourcedFile {
  /** First part of the versions of its prices. */
  readonly origin: string;
  readonly file: PriceFile;
}

/** A dollar per million tokens is 10^-6 USD per token, so 6 decimals are whole pico-USD. */
const RATE_DIGITS = PICO_DIGITS - 6;
const FRACTION_DIGITS = 4;
const FRACTION_MAX = 10_000;

export function parseTiers({ usdPerMillion, longPrompts = [] }: PriceFields): LengthTier[] {
  return [{ above: -1, usdPerMillion }, ...longPrompts].map((tier) => ({
    above: tier.above,
    rates: parseRates(tier.usdPerMillion),
  }));
}

export function parseRates(texts: RateTexts): TokenRates {
  const rates: TokenRates = {};
  for (const name of TOKEN_CLASSES) {
    const text = texts[name];
    if (text !== undefined) rates[name] = parseRate(text);
  }
  return rates;
}

export function parseModifiers(
  row: PriceModifiers,
): Pick<RateCard, 'speeds' | 'tierMultipliers' | 'geoMultipliers' | 'fees'> {
  const fees: Partial<Record<FeeClass, number>> = {};
  for (const name of FEE_CLASSES) {
    const text = row.fees?.[name];
    if (text !== undefined) fees[name] = parseFee(text);
  }
  return {
    speeds: mapValues(row.speeds, parseRates),
    tierMultipliers: mapValues(row.tierMultipliers, parseMultiplier),
    geoMultipliers: mapValues(row.geoMultipliers, parseMultiplier),
    fees,
  };
}

/** Converts dollars per million tokens to pico-USD per token. */
export function parseRate(text: string): number {
  return parsePrice(text, RATE_DIGITS);
}

/** Converts dollars per use to pico-USD per use. */
export function parseFee(text: string): number {
  return parsePrice(text, PICO_DIGITS);
}

function parsePrice(text: string, digits: number): number {
  const whole = parseDecimal(text, digits);
  if (whole !== null && whole <= PRICE_USD_MAX * 10 ** digits) return Number(whole);
  throw new TollbookError(
    'invalid',
    `"${text.slice(0, 40)}" is not a valid price. Enter dollars such as 2.50, at most ${PRICE_USD_MAX} with up to ${digits} decimals.`,
  );
}

/** Parses `0.5` or `5/3` as a fraction in lowest terms. */
export function parseMultiplier(text: string): PriceMultiplier {
  const parts = /^(\d{1,5})\/(\d{1,5})$/.exec(text);
  const num = parts ? Number(parts[1]) : Number(parseDecimal(text, FRACTION_DIGITS) ?? Number.NaN);
  const den = parts ? Number(parts[2]) : 10 ** FRACTION_DIGITS;
  const divisor = greatestCommonDivisor(num, den);
  const fraction = { num: num / divisor, den: den / divisor };
  if (den > 0 && fraction.num <= FRACTION_MAX && fraction.den <= FRACTION_MAX) return fraction;
  throw new TollbookError(
    'invalid',
    `"${text.slice(0, 40)}" is not a valid multiplier. Enter a value such as 0.5 or 5/3.`,
  );
}

/** Returns the epoch ms of an instant, or of a day's 00:00 UTC. */
export function parseInstant(text: string | undefined): number | null {
  return text === undefined ? null : Date.parse(text);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 || Number.isNaN(a) ? a : greatestCommonDivisor(b, a % b);
}

function mapValues<T, R>(
  texts: Readonly<Record<string, T | undefined>> | undefined,
  read: (text: T) => R,
): Record<string, R> {
  const values: Record<string, R> = {};
  for (const [key, text] of Object.entries(texts ?? {})) if (text !== undefined) values[key] = read(text);
  return values;
}
