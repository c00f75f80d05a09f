import type { BookedEntry } from './store.ts';

/** What the book believes now that the call cost, nano-USD; null = unknown. */
export function believedCost({ entry, adjustments }: BookedEntry): number | null {
  const last = adjustments.at(-1);
  return last ? last.costAfter : entry.cost;
}

/** The price version on which that cost stands; null = none. */
export function believedPriceVersion({ entry, adjustments }: BookedEntry): string | null {
  return adjustments.at(-1)?.priceVersion ?? entry.priceVersion;
}
