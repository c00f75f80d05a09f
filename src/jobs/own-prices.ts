import type { WorkspaceCard } from '../domain/pricing/price.ts';
import { coversModel } from '../domain/pricing/model-names.ts';
import type { RecordedEntry } from '../storage/store.ts';
import { reprice, type RepriceParts } from './reprice.ts';
import type { Job } from './schedule.ts';
import { DAY_MS } from '../domain/time/units.ts';

/** Changes that wait for the job; of more, it looks at all own prices there are. */
const CHANGES_MAX = 1_000;

/** Prices that workspaces set for themselves, since the job looked last. */
export class ChangedPrices {
  #cards: WorkspaceCard[] = [];

  add(card: WorkspaceCard): void {
    if (this.#cards.length <= CHANGES_MAX) this.#cards.push(card);
  }

  /** Empties the list; null = look at all prices there are. */
  take(): readonly WorkspaceCard[] | null {
    const cards = this.#cards;
    this.#cards = [];
    return cards.length === 0 || cards.length > CHANGES_MAX ? null : cards;
  }
}

/**
 * Corrects calls whose price a workspace set anew: those of the price's own workspace, provider and model, from its
 * first day on. Its last day is no bound: the price that it replaced may have held longer. Without a change, as once a
 * day, all own prices have their turn, in case that a change came just before a crash.
 */
export function customPricesJob(parts: RepriceParts, changed: ChangedPrices): Job {
  return {
    name: 'own_prices',
    everyMs: DAY_MS,
    async run(signal) {
      const cards = changed.take() ?? (await parts.records.prices.all());
      for (const [workspaceId, models] of Map.groupBy(cards, (card) => card.workspaceId))
        for (const [priceProvider, own] of Map.groupBy(models, ({ card }) => card.provider))
          for (const provider of listProvidersPricedAs(parts, priceProvider)) {
            const from = Math.min(...own.map(({ card }) => card.from ?? 0));
            const concerns = (booked: RecordedEntry): boolean => concernsAny(own, booked);
            await reprice(parts, { workspaceId, from, filter: { provider }, concerns, mayCorrect: true }, signal);
          }
    },
  };
}

/** Providers whose calls have the prices of this one. */
function listProvidersPricedAs({ providers }: RepriceParts, priceProvider: string): string[] {
  const sharing = [...providers.values()].filter((provider) => provider.priceProvider === priceProvider);
  // Calls of a provider that was removed have the prices of its own name.
  const itself = providers.has(priceProvider) ? [] : [priceProvider];
  return [...sharing.map(({ id }) => id), ...itself];
}

function concernsAny(own: readonly WorkspaceCard[], { entry }: RecordedEntry): boolean {
  const models = [entry.model, ...(entry.usage?.inferences ?? []).map(({ model }) => model)];
  return models.some((model) => model !== null && own.some(({ card }) => coversModel(card.model, model)));
}
