import type { RateCard, WorkspaceCard } from '../domain/pricing/price.ts';
import { ContractBook } from './contract-book.ts';
import { cardAt, cardsBetween } from './price-periods.ts';
import type { PricePeriod } from './draft-card.ts';
import { MODEL_NAME_CHARS_MAX, priceNames, customPriceName } from '../domain/pricing/model-names.ts';
import { BUILT_IN_CHECKED, OVERRIDES } from './overrides.ts';
import { createPriceList, type PriceList } from './price-list.ts';
import type { PriceFile, WithdrawnRow } from './price-rows.ts';
import { RememberedPeriods, within } from './remembered-periods.ts';

export interface PriceBook {
  /**
   * Returns the price of a model at a time (epoch ms), or null if none is known. Custom prices of the workspace override
   * refreshed prices, those override the project's own, and those override the base list. A repeated lookup allocates
   * nothing.
   */
  resolve(workspaceId: string, priceProvider: string, model: string, atMs: number): RateCard | null;
  /** Returns every price of a model that applies at some time from `fromMs` to `untilMs` (both inclusive), each once. */
  between(workspaceId: string, priceProvider: string, model: string, fromMs: number, untilMs: number): RateCard[];
  /** Returns the periods of a model's list prices, without custom prices; none = it has no price. */
  periods(priceProvider: string, model: string): readonly PricePeriod[];
  /** Returns every name of a price list, in lower case. */
  names(priceProvider: string): Iterable<string>;
  /** Contracts, which change these prices for the calls that they are about. */
  readonly contracts: ContractBook;
  /** Returns the models of a price list, and whether each has a price at a time (epoch ms). Custom prices don't count. */
  listed(priceProvider: string, atMs: number): readonly ListedName[];
  /** Replaces the custom prices of all workspaces. */
  setUserCards(cards: readonly WorkspaceCard[]): void;
  /** Returns a book with the same lists and contracts and other custom prices, to try them. */
  withUserCards(cards: readonly WorkspaceCard[]): Pick<PriceBook, 'resolve' | 'contracts'>;
  /**
   * Replaces the refreshed prices (`refreshCards`).
   * @param fetchedAt epoch ms; null = nothing was fetched
   */
  setRefreshed(files: readonly PriceFile[], fetchedAt?: number | null): void;
  /** Returns when the prices in use were last fetched or compared with published ones (epoch ms). */
  checkedAt(): number;
  /** Returns the cards at a time, sorted by provider and model. Several providers include refreshed and custom prices of others. */
  list(workspaceId: string, of: string | ReadonlySet<string>, atMs: number): RateCard[];
}

export interface ListedName {
  readonly model: string;
  readonly hasPrice: boolean;
  /** Why its price was withdrawn; null = it was not. */
  readonly withdrawn: WithdrawnRow | null;
}

/** Returns the models that are sold at prices by which the gateway could charge. */
export function soldByUnit(listed: readonly ListedName[]): readonly ListedName[] {
  return listed.filter(({ withdrawn }) => withdrawn?.reason === undefined);
}

/** Model names whose prices are remembered. */
const REMEMBERED_MAX = 10_000;
const NO_PERIODS: readonly PricePeriod[] = [];

type ModelPeriods = Map<string, PricePeriod[]>;

export function createPriceBook(options: { readonly userCards?: readonly WorkspaceCard[] } = {}): PriceBook {
  return new ListedPriceBook(options.userCards ?? []);
}

class ListedPriceBook implements PriceBook {
  readonly contracts: ContractBook;
  #files = OVERRIDES;
  #fetchedAt: number | null = null;
  /** Providers with refreshed prices. */
  #refreshed: readonly string[] = [];
  readonly #lists = new Map<string, PriceList>();
  /** Workspace → provider → model name → periods. */
  readonly #users = new Map<string, Map<string, ModelPeriods>>();
  /** Cache by workspace. Workspaces without custom prices share the scope ''. */
  readonly #remembered = new RememberedPeriods(REMEMBERED_MAX);

  constructor(userCards: readonly WorkspaceCard[], contracts = new ContractBook()) {
    this.contracts = contracts;
    this.setUserCards(userCards);
  }

  resolve(workspaceId: string, priceProvider: string, model: string, atMs: number): RateCard | null {
    return cardAt(this.#periods(workspaceId, priceProvider, model), atMs);
  }

  between(workspaceId: string, priceProvider: string, model: string, fromMs: number, untilMs: number): RateCard[] {
    return cardsBetween(this.#periods(workspaceId, priceProvider, model), fromMs, untilMs);
  }

  periods(priceProvider: string, model: string): readonly PricePeriod[] {
    if (model.length > MODEL_NAME_CHARS_MAX) return NO_PERIODS;
    return this.#list(priceProvider).find(model)?.periods() ?? NO_PERIODS;
  }

  names(priceProvider: string): Iterable<string> {
    return this.#list(priceProvider).names();
  }

  listed(priceProvider: string, atMs: number): readonly ListedName[] {
    const listings = this.#list(priceProvider).listings();
    return listings.map(({ model, withdrawn, periods }) => ({
      model,
      withdrawn,
      hasPrice: cardAt(periods(), atMs) !== null,
    }));
  }

  setUserCards(cards: readonly WorkspaceCard[]): void {
    this.#remembered.clear();
    this.#users.clear();
    for (const { workspaceId, card } of cards) {
      const names = within(within(this.#users, workspaceId), card.provider);
      const name = customPriceName(card.model);
      const periods = names.get(name) ?? [];
      periods.push({ from: card.from, until: card.until, daily: null, card });
      // If two apply, the one that started later wins.
      names.set(
        name,
        periods.toSorted((a, b) => (a.from ?? 0) - (b.from ?? 0)),
      );
    }
  }

  withUserCards(cards: readonly WorkspaceCard[]): ListedPriceBook {
    const book = new ListedPriceBook(cards, this.contracts);
    book.#files = this.#files;
    book.#refreshed = this.#refreshed;
    return book;
  }

  checkedAt(): number {
    return Math.max(Date.parse(BUILT_IN_CHECKED), this.#fetchedAt ?? 0);
  }

  setRefreshed(files: readonly PriceFile[], fetchedAt: number | null = null): void {
    this.#fetchedAt = fetchedAt;
    this.#remembered.clear();
    this.#lists.clear();
    this.#refreshed = files.map(({ provider }) => provider);
    this.#files = [...OVERRIDES, ...files.map((file) => ({ origin: 'refreshed', file }))];
  }

  list(workspaceId: string, of: string | ReadonlySet<string>, atMs: number): RateCard[] {
    const own = this.#users.get(workspaceId);
    const providers = typeof of === 'string' ? [of] : [...of, ...this.#refreshed, ...(own?.keys() ?? [])];
    const cards = new Set<RateCard>();
    for (const each of new Set(providers)) {
      const models = [
        ...this.#list(each)
          .listings()
          .map((listing) => listing.model),
        ...(own?.get(each)?.keys() ?? []),
      ];
      for (const model of models) {
        const card = cardAt(this.#find(workspaceId, each, model), atMs);
        if (card) cards.add(card);
      }
    }
    return [...cards].toSorted((a, b) => compareNames(a.provider, b.provider) || compareNames(a.model, b.model));
  }

  #list(provider: string): PriceList {
    const made = this.#lists.get(provider) ?? createPriceList(provider, this.#files);
    this.#lists.set(provider, made);
    return made;
  }

  #periods(workspaceId: string, provider: string, model: string): readonly PricePeriod[] {
    const scope = this.#users.has(workspaceId) ? workspaceId : '';
    return this.#remembered.get(scope, provider, model) ?? this.#remember(scope, provider, model);
  }

  #remember(scope: string, provider: string, model: string): readonly PricePeriod[] {
    if (model.length > MODEL_NAME_CHARS_MAX) return NO_PERIODS;
    const periods = this.#find(scope, provider, model);
    this.#remembered.add(scope, provider, model, periods);
    return periods;
  }

  #find(workspaceId: string, provider: string, model: string): readonly PricePeriod[] {
    const list = this.#list(provider);
    const listing = list.find(model);
    const listed = listing?.periods() ?? NO_PERIODS;
    const own = this.#users.get(workspaceId)?.get(provider);
    if (!own) return listed;
    const asked = model.toLowerCase().trim();
    for (const name of priceNames(model)) {
      const periods = own.get(name);
      // A custom price of `gpt-4o` covers its snapshots, but not one that has its own list price.
      if (periods && (name === asked || !listing || list.find(name) === listing)) return [...listed, ...periods];
    }
    return listed;
  }
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
