import { PICO_DIGITS } from '../../core/money.ts';
import type { RateCard } from '../../core/price.ts';
import { priceLines, splitVersions } from '../../core/pricing.ts';
import type { Fraction } from '../../core/pricing.ts';
import { believed, believedPriceVersion } from '../../storage/booked.ts';
import type { BookedEntry } from '../../storage/store.ts';
import type { EntryDetail } from '../contract.ts';
import type { Services } from '../services.ts';

export interface Explanation {
  readonly lines: EntryDetail['lines'];
  /** Who says what the price is. */
  readonly sources: string[];
}

/** Prices the entry's usage once more by the very cards that gave its cost. */
export async function explainCost(booked: BookedEntry, services: Services): Promise<Explanation> {
  const entry = believed(booked);
  const priceVersion = believedPriceVersion(booked);
  if (!entry.usage || priceVersion === null) return { lines: [], sources: [] };
  const cards: RateCard[] = [];
  for (const version of splitVersions(priceVersion)) {
    const card = await services.records.priceCards.get(version);
    if (card) cards.push(card);
  }
  const priceProvider = services.providers.get(entry.provider)?.priceProvider ?? entry.provider;
  const { lines } = priceLines(entry.usage, entry.model ?? entry.askedModel ?? '', (model) => {
    const [only, ...others] = cards;
    if (only && others.length === 0) return only;
    // Several models worked on this call: the book of today says which card is whose, if that card is one of these.
    const now = services.prices.resolve(entry.workspaceId, priceProvider, model, entry.beganAt);
    return cards.find((card) => card.version === now?.version) ?? cards.find((card) => card.model === model) ?? null;
  });
  return {
    lines: lines.map(({ model, item, count, rate, multiplier, amount }) => ({
      model,
      item,
      count,
      unitUsd: Number(`${rate}e-${PICO_DIGITS}`),
      multiplier: multiplier.num / multiplier.den,
      usd: usdFromFraction(amount),
    })),
    sources: [...new Set(cards.map((card) => card.source))],
  };
}

function usdFromFraction({ pico, den }: Fraction): number {
  return Number(pico) / Number(den) / 10 ** PICO_DIGITS;
}
