import { DAY_MS } from '../domain/time/units.ts';

/** Time at which the prices in use were last compared with published ones, and their age. */
export interface PriceAge {
  /** Epoch ms. */
  readonly checkedAt: number;
  /** Whole days. */
  readonly ageDays: number;
  /** Some prices have probably changed since. */
  readonly isOld: boolean;
}

/** Providers change prices every few weeks. */
const PRICES_OLD_DAYS = 60;

export function priceAge(checkedAt: number, now: number): PriceAge {
  const ageDays = Math.max(0, Math.floor((now - checkedAt) / DAY_MS));
  return { checkedAt, ageDays, isOld: ageDays > PRICES_OLD_DAYS };
}
