import type { Entry } from '../domain/usage/call.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { cardVersions } from '../domain/pricing/provenance.ts';
import { callPrices } from '../prices/call-prices.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';
import type { Records } from '../storage/records/records.ts';

/** Versions known to be archived. When full, the cache is cleared and some are archived again. */
const KNOWN_VERSIONS_MAX = 10_000;

/** Archives the rate cards of entries, so that each cost can be explained. */
export class RateCardArchive {
  readonly #records: Pick<Records['priceCards'], 'keep'>;
  readonly #prices: Pick<PriceBook, 'resolve' | 'contracts'>;
  readonly #providers: ReadonlyMap<string, Provider>;
  readonly #known = new Set<string>();

  constructor(
    records: Pick<Records['priceCards'], 'keep'>,
    prices: Pick<PriceBook, 'resolve' | 'contracts'>,
    providers: ReadonlyMap<string, Provider>,
  ) {
    this.#records = records;
    this.#prices = prices;
    this.#providers = providers;
  }

  /** Archives all cards again: the database may lack some. */
  forget(): void {
    this.#known.clear();
  }

  async keep(entries: readonly Entry[]): Promise<void> {
    const cards = new Map<string, RateCard>();
    for (const entry of entries) {
      const unknown = entry.provenance ? cardVersions(entry.provenance).filter((one) => !this.#known.has(one)) : [];
      if (unknown.length === 0) continue;
      for (const card of this.#cardsOf(unknown, entry)) cards.set(card.version, card);
    }
    if (cards.size === 0) return;
    await this.#records.keep([...cards.values()]);
    // A version whose card is gone by now is never taken for kept.
    if (this.#known.size >= KNOWN_VERSIONS_MAX) this.#known.clear();
    for (const version of cards.keys()) this.#known.add(version);
  }

  #cardsOf(versions: readonly string[], entry: Entry): RateCard[] {
    const provider = this.#providers.get(entry.provider)?.priceProvider ?? entry.provider;
    const { contracted } = callPrices(this.#prices, entry, provider);
    const passes = (entry.usage?.inferences ?? []).map(({ model }) => model);
    return [...new Set([entry.model, entry.requestedModel, ...passes])].flatMap((model) => {
      const card = model === null ? null : contracted(model);
      return card && versions.includes(card.version) ? card : [];
    });
  }
}
