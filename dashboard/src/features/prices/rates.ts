import type { PriceShape } from '../../../../src/contract/prices.ts';

type ClassRates = PriceShape['usdPerMillion'];

/** Returns the first known rate in US dollars per million tokens; null = no price. */
export function findRate(rates: ClassRates, ...classes: readonly (keyof ClassRates)[]): number | null {
  for (const name of classes) {
    const rate = rates[name];
    if (rate !== undefined) return rate;
  }
  return null;
}

/** Returns prices whose model name contains a text, of one provider or all. */
export function findPrices(
  prices: readonly PriceShape[],
  { provider, find }: { readonly provider?: string; readonly find?: string },
): readonly PriceShape[] {
  const part = find?.toLowerCase() ?? '';
  return prices.filter(
    (price) => (provider === undefined || price.provider === provider) && price.model.toLowerCase().includes(part),
  );
}
