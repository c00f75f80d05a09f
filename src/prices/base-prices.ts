import type { LengthTier, TokenRates } from '../domain/pricing/price.ts';
import type { FeeClass, TokenClass } from '../domain/usage/usage.ts';
import { createDraft, type DraftCard } from './draft-card.ts';
import { BASE_ORIGIN } from './overrides.ts';
import list from './base-list.json' with { type: 'json' };

/** A model as the package tells it that the base list is taken from (`scripts/base-prices.mjs`). Dollars. */
export interface ListedModel {
  readonly id: string;
  readonly match: NameMatch;
  readonly context_window?: number | undefined;
  readonly prices: ListedPrice | readonly DatedPrice[];
}

export type NameMatch =
  | { readonly and: readonly NameMatch[] }
  | { readonly or: readonly NameMatch[] }
  | { readonly equals: string }
  | { readonly starts_with: string }
  | { readonly contains: string }
  | { readonly ends_with: string }
  | { readonly regex: string };

/** By names such as `input_mtok`. */
export type ListedPrice = Readonly<Record<string, number | TieredPrice | undefined>>;

interface TieredPrice {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

export interface DatedPrice {
  readonly prices: ListedPrice;
  readonly constraint?: PriceConstraint | undefined;
}

/** From a day on, or every day between two times. */
interface PriceConstraint {
  readonly start_date?: string | undefined;
  readonly start_time?: string | undefined;
  readonly end_time?: string | undefined;
}

const LIST: Readonly<Record<string, readonly ListedModel[]>> = list;

/** Empty for a provider that the list doesn't have. */
export function listedModels(provider: string): readonly ListedModel[] {
  return Object.hasOwn(LIST, provider) ? (LIST[provider] ?? []) : [];
}

/** A model of the base list: its names and, made when asked for, its prices by period. */
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
/** The list has no figures at all for models under this ending, which cost nothing. */
const FREE_MODEL = /:free$/;
const FREE_PRICE: ListedPrice = { input_mtok: 0, output_mtok: 0 };

/** The base list of a provider; empty for one that it doesn't have. */
export function baseModels(provider: string): BaseModel[] {
  return listedModels(provider)
    .filter((info) => isSold(provider, info))
    .map((info) => toBaseModel(provider, info));
}

/** The package lists what a cloud sells under its maker's name too: Claude at Vertex prices isn't the Gemini API. */
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

/** Patterns are left out: the snapshots they describe are found by `namesOf`, which stops at boundaries. */
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
      tiers: toTiers(provider, prices),
      fees: toFees(prices),
      contextWindow: widestWindow(provider, info.context_window),
    });
  });
}

/** Providers whose windows are round figures on their own pages. */
const ROUND_WINDOWS: ReadonlySet<string> = new Set(['anthropic', 'openai']);

/** The list rounds: 128,000 may be 131,072, and a million 1,048,576. null = not known. */
function widestWindow(provider: string, tokens: number | undefined): number | null {
  if (tokens === undefined) return null;
  if (ROUND_WINDOWS.has(provider)) return tokens;
  if (tokens % 1_000_000 === 0) return (tokens / 1_000_000) * 1_048_576;
  return tokens % 1_000 === 0 ? (tokens / 1_000) * 1_024 : tokens;
}

/**
 * Every figure is one that calls are counted for. A price with another charge, of hours or citations for instance, is no
 * price here: leaving the charge out would make the model cheaper than it is.
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

/** `00:30:00Z` in ms since midnight. */
function timeOfDay(text: string): number {
  return Date.parse(`1970-01-01T${text}`);
}

function toTiers(provider: string, prices: ListedPrice): LengthTier[] {
  const starts = new Set<number>();
  for (const price of Object.values(prices))
    if (typeof price === 'object') for (const { start } of price.tiers) starts.add(start);
  return [-1, ...[...starts].toSorted((a, b) => a - b)].map((start) => ({
    above: normalizeStep(start),
    rates: toRates(provider, prices, start),
  }));
}

/**
 * OpenAI's page says both "< 272K" and "> 272K". The package reads some models the first way (271,999) and some the
 * second (272,000); like every other vendor's steps, ours are strictly above.
 */
function normalizeStep(start: number): number {
  return start === 271_999 ? 272_000 : start;
}

function toRates(provider: string, prices: ListedPrice, start: number): TokenRates {
  const rates: TokenRates = {};
  for (const [key, price] of Object.entries(prices)) {
    const name = CLASS_BY_FIELD[key];
    if (!name || price === undefined) continue;
    const usd =
      typeof price === 'number' ? price : (price.tiers.findLast((tier) => tier.start <= start)?.price ?? price.base);
    // Anthropic's unnamed write is the one with five minutes.
    const own = name === 'cacheWrite' && provider === 'anthropic' ? 'cacheWrite5m' : name;
    rates[own] = Math.round(usd * PICO_PER_USD_PER_MILLION);
  }
  return rates;
}

function toFees(prices: ListedPrice): Partial<Record<FeeClass, number>> {
  const fees: Partial<Record<FeeClass, number>> = {};
  for (const [key, price] of Object.entries(prices)) {
    const name = FEE_BY_FIELD[key];
    if (name && typeof price === 'number') fees[name] = Math.round(price * PICO_PER_USD_PER_THOUSAND);
  }
  return fees;
}
