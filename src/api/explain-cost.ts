import { PICO_DIGITS } from '../domain/money/money.ts';
import type { RateCard } from '../domain/pricing/price.ts';
import { type PicoFraction, type PriceLine, priceLines } from '../domain/pricing/pricing.ts';
import { BATCHES } from '../domain/usage/call.ts';
import { effectiveEntry, effectiveProvenance } from '../storage/effective-entry.ts';
import type { EntryDetail } from '../contract/entries.ts';
import type { RecordedEntry } from '../storage/usage-queries.ts';
import type { Records } from '../storage/records/records.ts';
import { callPrices } from '../prices/call-prices.ts';
import type { PriceBook } from '../prices/price-book.ts';
import type { Provider } from '../providers/provider.ts';

export interface CostServices {
  readonly records: Records;
  readonly prices: PriceBook;
  readonly providers: ReadonlyMap<string, Provider>;
}

export interface CostExplanation extends Pick<EntryDetail, 'explanation' | 'lines'> {
  /** Sources of the price. */
  readonly sources: string[];
}

const OF_CALL = 'Usage of this call, priced line by line.';
const OF_BATCH =
  'Usage of all results of the batch, by model; prompts with the price of long ones are listed apart. Each result was rounded by itself.';

/** Explains where the cost of an entry comes from. If prices gave it, prices the usage again by the same cards. */
export async function explainCost(recorded: RecordedEntry, services: CostServices): Promise<CostExplanation> {
  const provenance = effectiveProvenance(recorded);
  if (provenance === null) return explainWithoutLines(withoutProvenance(effectiveEntry(recorded).cost));
  switch (provenance.from) {
    case 'price':
      return await byCards(
        recorded,
        recorded.entry.operation === BATCHES ? OF_BATCH : OF_CALL,
        provenance.versions,
        services,
      );
    case 'report':
      return await byReport(recorded, provenance.versions, services);
    case 'person':
      return explainWithoutLines('A person entered the cost of this call.');
    case 'provider':
      return explainWithoutLines("The provider's response contained the cost.");
    case 'subscription':
      return explainWithoutLines("The client's own subscription covers this call. Limits count its list price.");
    default:
      return provenance satisfies never;
  }
}

async function byReport(
  recorded: RecordedEntry,
  versions: readonly string[],
  services: CostServices,
): Promise<CostExplanation> {
  if (versions.length === 0) return explainWithoutLines('Usage and cost are from the provider report.');
  return await byCards(recorded, 'Usage is from the provider report, priced line by line.', versions, services);
}

function explainWithoutLines(explanation: string): CostExplanation {
  return { explanation, lines: [], sources: [] };
}

function withoutProvenance(cost: number | null): string {
  return cost === null ? 'The cost of this call is unknown.' : 'The provider did not charge for this call.';
}

async function byCards(
  recorded: RecordedEntry,
  explanation: string,
  versions: readonly string[],
  services: CostServices,
): Promise<CostExplanation> {
  const entry = effectiveEntry(recorded);
  const priceProvider = services.providers.get(entry.provider)?.priceProvider ?? entry.provider;
  const { contracted } = callPrices(services.prices, entry, priceProvider);
  const models = [entry.model, ...(entry.usage?.inferences ?? []).map(({ model }) => model)];
  const current = models.map((model) => (model === null ? null : contracted(model)));
  const cards: RateCard[] = [];
  for (const version of versions) {
    // Cards of corrected prices may not be archived.
    const kept = await services.records.priceCards.get(version);
    const card = kept ?? current.find((each) => each?.version === version);
    if (card) cards.push(card);
  }
  const priced =
    entry.usage &&
    priceLines(entry.usage, entry.model ?? entry.requestedModel ?? '', (model) => {
      const [only, ...others] = cards;
      if (only && others.length === 0) return only;
      // Several models worked on this call: today's price list shows which model a card belongs to, if it still has
      // that card.
      const now = contracted(model);
      return cards.find((card) => card.version === now?.version) ?? cards.find((card) => card.model === model) ?? null;
    });
  return {
    explanation,
    lines: (priced?.lines ?? []).map(priceLineView),
    sources: [...new Set(cards.map((card) => card.source))],
  };
}

function priceLineView({ model, item, count, rate, multiplier, amount }: PriceLine): EntryDetail['lines'][number] {
  return {
    model,
    item,
    count,
    unitUsd: Number(`${rate}e-${PICO_DIGITS}`),
    multiplier: multiplier.num / multiplier.den,
    usd: usdFromFraction(amount),
  };
}

function usdFromFraction({ pico, den }: PicoFraction): number {
  return Number(pico) / Number(den) / 10 ** PICO_DIGITS;
}
