import type { PriceShape } from '../../../../src/contract/usage.ts';

type ClassRates = PriceShape['usdPerMillion'];

/** US dollars per million tokens; null = the class has no price. */
export function findRate(rates: ClassRates, ...classes: readonly (keyof ClassRates)[]): number | null {
  for (const name of classes) {
    const rate = rates[name];
    if (rate !== undefined) return rate;
  }
  return null;
}

/** Prices of one provider, or all, whose model's name holds a text. */
export function findPrices(
  prices: readonly PriceShape[],
  { provider, find }: { readonly provider?: string; readonly find?: string },
): readonly PriceShape[] {
  const part = find?.toLowerCase() ?? '';
  return prices.filter(
    (price) => (provider === undefined || price.provider === provider) && price.model.toLowerCase().includes(part),
  );
}
