import type { Entry } from '../core/call.ts';
import type { RateCard } from '../core/price.ts';
import { splitVersions } from '../core/pricing.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';

/** Versions that are known to be kept; when it is full, it starts anew and keeps a few twice. */
const KNOWN_VERSIONS_MAX = 10_000;

/** Keeps the rate cards behind the costs of entries, so that a cost stays explainable. */
export class KeptCards {
  readonly #records: Pick<Records['priceCards'], 'keep'>;
  readonly #prices: Pick<PriceBook, 'resolve'>;
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #known = new Set<string>();

  constructor(
    records: Pick<Records['priceCards'], 'keep'>,
    prices: Pick<PriceBook, 'resolve'>,
    providers: ReadonlyMap<string, Provider>,
  ) {
    this.#records = records;
    this.#prices = prices;
    this.#providers = providers;
  }

  async keep(entries: readonly Entry[]): Promise<void> {
    const cards = new Map<string, RateCard>();
    for (const entry of entries) {
      if (entry.priceVersion === null || this.#known.has(entry.priceVersion)) continue;
      for (const card of this.#cardsOf(entry.priceVersion, entry)) cards.set(card.version, card);
    }
    if (cards.size === 0) return;
    await this.#records.keep([...cards.values()]);
    // A version of several cards is looked up anew each time; one whose card is gone by now is never taken for kept.
    if (this.#known.size >= KNOWN_VERSIONS_MAX) this.#known.clear();
    for (const version of cards.keys()) this.#known.add(version);
  }

  #cardsOf(version: string, entry: Entry): RateCard[] {
    const versions = splitVersions(version);
    const provider = this.#providers.get(entry.provider)?.priceProvider ?? entry.provider;
    const passes = (entry.usage?.inferences ?? []).map(({ model }) => model);
    return [...new Set([entry.model, entry.askedModel, ...passes])].flatMap((model) => {
      const card = model === null ? null : this.#prices.resolve(entry.workspaceId, provider, model, entry.beganAt);
      return card && versions.includes(card.version) && !this.#known.has(card.version) ? card : [];
    });
  }
}
