import type { RateCard } from '../domain/pricing/price.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { CallEnd } from '../domain/usage/call.ts';
import type { Hold } from './hold.ts';
import { ratioKey, type NamedSubject } from './overruns.ts';

/** Models that are remembered for each of two periods. */
const RATIOS_MAX = 1_000;
/** A ratio is remembered until the end of the period after its own. */
const PERIOD_MS = 7 * DAY_MS;
/** Difference that rounding to nano-USD makes. */
const ROUNDING_NANO = 1;
/** Least cost by prices whose ratio counts, in nano-USD: providers round what they state, some to a millionth of a dollar. */
const COST_NANO_MIN = 10_000;

/** A model for which its provider stated more than the prices in use give. */
export interface StatedRatio extends NamedSubject {
  /** Stated cost divided by that of prices, above 1. */
  readonly ratio: number;
}

interface KnownRatio {
  readonly ratio: number;
  /** Prices that it is about; null = those of the next call. */
  cards: readonly RateCard[] | null;
}

type JudgedHold = Pick<Hold, 'subject' | 'presumed' | 'hasOpenPrice' | 'cards'>;

/** Highest ratios of stated costs to prices in the last one to two weeks. Dollars of holds are scaled by them. */
export class StatedRatios {
  #newer = new Map<string, KnownRatio>();
  #older = new Map<string, KnownRatio>();
  #since = 0;

  /** Returns the factor on dollars of a model at these prices; 1 = no higher costs were stated. */
  ratio(model: NamedSubject, cards: readonly RateCard[]): number {
    if (this.#newer.size + this.#older.size === 0) return 1;
    const key = ratioKey(model);
    return Math.max(ratioAt(this.#newer.get(key), cards), ratioAt(this.#older.get(key), cards));
  }

  /** Notes a settled call. Work that no price bounds says nothing about prices. */
  note({ subject, presumed, hasOpenPrice, cards }: JudgedHold, end: CallEnd, now: number): void {
    this.#forget(now);
    if (end.provenance?.from !== 'provider') return;
    if (presumed || hasOpenPrice || !end.priced || end.cost === null) return;
    const { contracted } = end.priced;
    if (contracted < COST_NANO_MIN || end.cost - contracted <= ROUNDING_NANO) return;
    this.#keep(ratioKey(subject), { ratio: end.cost / contracted, cards });
  }

  /** Takes a ratio from the ledger. */
  put(known: StatedRatio): void {
    this.#keep(ratioKey(known), { ratio: known.ratio, cards: null });
  }

  #keep(key: string, found: KnownRatio): void {
    const newer = this.#newer;
    const known = newer.get(key);
    if (known && ratioAt(known, found.cards ?? []) >= found.ratio) return;
    if (!known && newer.size >= RATIOS_MAX) {
      const [oldest] = newer.keys();
      if (oldest !== undefined) newer.delete(oldest);
    }
    newer.set(key, found);
  }

  #forget(now: number): void {
    if (now < this.#since + PERIOD_MS) return;
    // Ratios of the ledger were put before the first call.
    if (this.#since > 0) {
      this.#older = now < this.#since + 2 * PERIOD_MS ? this.#newer : new Map<string, KnownRatio>();
      this.#newer = new Map();
    }
    this.#since = now;
  }
}

/** A ratio says nothing about other prices, for example a custom one that was set meanwhile. */
function ratioAt(known: KnownRatio | undefined, cards: readonly RateCard[]): number {
  if (!known) return 1;
  known.cards ??= cards;
  return known.cards === cards || known.cards.some((card) => hasVersion(cards, card)) ? known.ratio : 1;
}

function hasVersion(cards: readonly RateCard[], { version }: RateCard): boolean {
  return cards.some((card) => card.version === version);
}
