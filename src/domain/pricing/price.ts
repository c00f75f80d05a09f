import type { FeeClass, TokenClass } from '../usage/usage.ts';

/**
 * A price is data: which model, from when, what each class costs, and who says so.
 * Rates are whole pico-USD (10^-12) per token: $3 per million tokens = 3,000,000. Fees are pico-USD per use.
 */
export type TokenRates = Partial<Record<TokenClass, number>>;

/** Largest price of a million tokens, and of a use, in USD. */
export const PRICE_USD_MAX = 5_000;

/**
 * Reasons why a listed model has no price that the gateway could charge by: it is no longer sold, has only paths that the
 * gateway refuses, has a charge without a public price, or one that its answers do not count.
 */
export const WITHDRAWN_REASONS = ['retired', 'no_route', 'no_public_price', 'uncounted'] as const;
export type WithdrawnReason = (typeof WITHDRAWN_REASONS)[number];

/** One fraction, divided once: 1.1 is {num: 11, den: 10}. */
export interface PriceMultiplier {
  readonly num: number;
  readonly den: number;
}

export interface LengthTier {
  /** Applies to the whole call when its prompt is strictly longer than this many tokens. The first tier has 0… */
  readonly above: number;
  readonly rates: TokenRates;
}

/** The price of one model during one period. */
export interface RateCard {
  readonly provider: string;
  readonly model: string;
  /** Epoch ms from which (inclusive) and until which (exclusive) it is valid; null = open. */
  readonly from: number | null;
  readonly until: number | null;
  /** Ascending by `above`; the first has `above: -1`, so that every prompt falls into a tier. */
  readonly tiers: readonly LengthTier[];
  /** Rates that replace `tiers` at this speed (`fast`). */
  readonly speeds: Readonly<Record<string, TokenRates>>;
  /**
   * Multipliers by service tier of the answer (`batch`, `flex`, `priority`). A missing tier that is not free of charge
   * has no known price.
   */
  readonly tierMultipliers: Readonly<Record<string, PriceMultiplier>>;
  /** Token classes whose rates the multiplier of a service tier leaves as they are, by tier. Absent = none. */
  readonly tierExceptions?: Readonly<Record<string, readonly TokenClass[]>>;
  /** Multipliers by geography of the answer (`us`). */
  readonly geoMultipliers: Readonly<Record<string, PriceMultiplier>>;
  readonly fees: Partial<Record<FeeClass, number>>;
  /** Multiplier of a contract on all token rates; fees include it. Absent = none. */
  readonly contractMultiplier?: PriceMultiplier;
  /** Tokens; null = not known. */
  readonly contextWindow: number | null;
  /** Stable for equal content: a change of any figure changes it. Kept on every entry it priced. */
  readonly version: string;
  /** Source of the price: a package and its version, a URL, or `user`. */
  readonly source: string;
}

/** A price of the user's own, for one workspace. */
export interface WorkspaceCard {
  readonly workspaceId: string;
  readonly card: RateCard;
}
