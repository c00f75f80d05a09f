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
