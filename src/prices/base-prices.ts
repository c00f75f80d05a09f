import type { LengthTier, TokenRates } from '../domain/pricing/price.ts';
import type { FeeClass, TokenClass } from '../domain/usage/usage.ts';
import { createDraft, type DraftCard } from './draft-card.ts';
import { BASE_ORIGIN } from './overrides.ts';
import list from './base-list.json' with { type: 'json' };

/** A model in the package that the base list comes from (`scripts/base-prices.py`). Prices are in dollars. */
export interface ListedModel {
  readonly id: string;
  readonly match: NameMatch;
  readonly context_window?: number | undefined;
  readonly prices: ListedPrice | readonly DatedPrice[];
}

type NameMatch =
  | { readonly and: readonly NameMatch[] }
  | { readonly or: readonly NameMatch[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly contains: string }
  | { readonly ends_with: string }
  | { readonly regex: string };

/** Prices by names such as `input_mtok`. */
export type ListedPrice = Readonly<Record<string, number | TieredPrice | undefined>>;

interface TieredPrice {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

interface DatedPrice {
  readonly prices: ListedPrice;
  readonly constraint?: PriceConstraint | undefined;
}

/** Validity of a price: from a day on, or every day between two times. */
interface PriceConstraint {
  readonly start_date?: string | undefined;
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
}

const LIST: Readonly<Record<string, readonly ListedModel[]>> = list;

/** Returns the listed models of a provider; empty if the list does not have the provider. */
export function listedModels(provider: string): readonly ListedModel[] {
  return Object.hasOwn(LIST, provider) ? (LIST[provider] ?? []) : [];
}

/** A model of the base list: its names, and its prices by period, which are built on demand. */
export interface BaseModel {
  readonly model: string;
  /** Lower case, exact names first. */
  readonly names: readonly string[];
  readonly alsoNames: readonly string[];
  drafts(): DraftCard[];
}

const PICO_PER_USD_PER_MILLION = 1e6;
const PICO_PER_USD_PER_THOUSAND = 1e9;

const CLASS_BY_FIELD: Readonly<Record<string, TokenClass>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWrite1h',
  input_audio_mtok: 'inputAudio',
  cache_audio_read_mtok: 'cacheReadAudio',
  output_audio_mtok: 'outputAudio',
  input_image_mtok: 'inputImage',
  output_image_mtok: 'outputImage',
};
const FEE_BY_FIELD: Readonly<Record<string, FeeClass>> = {
  web_searches_kcount: 'webSearch',
  storage_searches_kcount: 'fileSearch',
  requests_kcount: 'request',
};
const XAI_MODEL = /^~?x-ai\//;
/** Models with this suffix are free, and the list has no figures for them. */
const FREE_MODEL = /:free$/;
const FREE_PRICE: ListedPrice = { input_mtok: 0, output_mtok: 0 };

/** Returns the base list of a provider; empty if it does not have the provider. */
export function baseModels(provider: string): BaseModel[] {
  return listedModels(provider)
    .filter((info) => isSold(provider, info))
    .map((info) => toBaseModel(provider, info));
}

/** Excludes models that a cloud sells for another vendor: Claude at Vertex prices is not part of the Gemini API. */
function isSold(provider: string, { id }: ListedModel): boolean {
  return provider !== 'google' || !id.startsWith('claude');
}

function toBaseModel(provider: string, info: ListedModel): BaseModel {
  const exact: string[] = [];
  const loose: string[] = [];
  collectNames(info.match, exact, loose);
  return {
    model: info.id,
    names: [...exact, info.id.toLowerCase()],
    // `gpt-5-nano-` lists what begins with `gpt-5-nano`.
    alsoNames: loose.map((name) => name.replace(/[-@]$/, '')),
    drafts: () => toDrafts(provider, info),
  };
}

/** Collects the names in a match rule, except patterns: `namesOf` finds the snapshots that they describe. */
function collectNames(match: NameMatch, exact: string[], loose: string[]): void {
  if ('or' in match) for (const each of match.or) collectNames(each, exact, loose);
  else if ('and' in match) for (const each of match.and) collectNames(each, exact, loose);
  else if ('equals' in match) exact.push(match.equals.toLowerCase());
  else if ('starts_with' in match) loose.push(match.starts_with.toLowerCase());
  else if ('contains' in match) loose.push(match.contains.toLowerCase());
  else if ('ends_with' in match) loose.push(match.ends_with.toLowerCase());
}

function toDrafts(provider: string, info: ListedModel): DraftCard[] {
  const listed = isDated(info.prices) ? info.prices : [{ prices: info.prices }];
  return listed.flatMap(({ constraint, prices: figures }, index) => {
    const prices = FREE_MODEL.test(info.id) && Object.keys(figures).length === 0 ? FREE_PRICE : figures;
    if (!isUnderstood(prices)) return [];
    const window =
      constraint?.start_time !== undefined && constraint.end_time !== undefined
        ? { start: timeOfDay(constraint.start_time), end: timeOfDay(constraint.end_time), workdays: false }
        : null;
    return createDraft({
      origin: BASE_ORIGIN,
      source: BASE_ORIGIN,
      from: constraintStart(listed[index]),
      until: window ? null : constraintStart(listed[index + 1]),
      daily: window,
      tiers: toTiers(provider, info.id, prices),
      fees: toFees(provider, prices),
      contextWindow: widestWindow(provider, info.context_window),
    });
  });
}

/** Providers whose windows are round figures on their own pages. */
const ROUND_WINDOWS: ReadonlySet<string> = new Set(['anthropic', 'openai']);

/** Returns the largest window that a rounded figure may mean: 128,000 may be 131,072. null = unknown. */
function widestWindow(provider: string, tokens: number | undefined): number | null {
  if (tokens === undefined) return null;
  if (ROUND_WINDOWS.has(provider)) return tokens;
  if (tokens % 1_000_000 === 0) return (tokens / 1_000_000) * 1_048_576;
  return tokens % 1_000 === 0 ? (tokens / 1_000) * 1_024 : tokens;
}

/**
 * Returns true if calls are counted for every figure. A price with another charge, for example for hours or citations, is
 * not used: without that charge the model would seem cheaper than it is.
 */
function isUnderstood(prices: ListedPrice): boolean {
  const charged = Object.entries(prices).filter(([, price]) => price !== undefined && price !== 0);
  return (
    Object.keys(prices).some((key) => Object.hasOwn(CLASS_BY_FIELD, key)) &&
    charged.every(([key, price]) =>
      Object.hasOwn(FEE_BY_FIELD, key) ? typeof price === 'number' : Object.hasOwn(CLASS_BY_FIELD, key),
    )
  );
}

function isDated(prices: ListedModel['prices']): prices is readonly DatedPrice[] {
  return Array.isArray(prices);
}

function constraintStart(listed: DatedPrice | undefined): number | null {
  const day = listed?.constraint?.start_date;
  return day === undefined ? null : Date.parse(day);
}

/** Converts `00:30:00Z` to ms since midnight. */
function timeOfDay(text: string): number {
  return Date.parse(`1970-01-01T${text}`);
}

function toTiers(provider: string, model: string, prices: ListedPrice): LengthTier[] {
  const starts = new Set<number>();
  for (const price of Object.values(prices))
    if (typeof price === 'object') for (const { start } of price.tiers) starts.add(start);
  return [-1, ...[...starts].toSorted((a, b) => a - b)].map((start) => ({
    above: normalizeStep(start, model),
    rates: toRates(provider, prices, start),
  }));
}

/**
 * Returns the same step for both readings of OpenAI's page, which says "< 272K" and "> 272K": the package has 271,999 for
 * some models and 272,000 for others. Our steps are strictly above, like those of other vendors. xAI's begin at 200,000,
 * through a router too.
 */
function normalizeStep(start: number, model: string): number {
  if (XAI_MODEL.test(model) && start === 200_000) return 199_999;
  return start === 271_999 ? 272_000 : start;
}

function toRates(provider: string, prices: ListedPrice, start: number): TokenRates {
  const rates: TokenRates = {};
  for (const [key, price] of Object.entries(prices)) {
    const name = CLASS_BY_FIELD[key];
    if (!name || price === undefined) continue;
    const usd =
      typeof price === 'number' ? price : (price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base);
    // Anthropic's cache write without a name is the five-minute one.
    const own = name === 'cacheWrite' && provider === 'anthropic' ? 'cacheWrite5m' : name;
    rates[own] = Math.round(usd * PICO_PER_USD_PER_MILLION);
  }
  return rates;
}

function toFees(provider: string, prices: ListedPrice): Partial<Record<FeeClass, number>> {
  const fees: Partial<Record<FeeClass, number>> = {};
  for (const [key, price] of Object.entries(prices)) {
    // Google counts grounding in other units, which the project's own rows price.
    const name = provider === 'google' ? undefined : FEE_BY_FIELD[key];
    if (name && typeof price === 'number') fees[name] = Math.round(price * PICO_PER_USD_PER_THOUSAND);
  }
  return fees;
}
