import { PICO_DIGITS } from '../../domain/money/money.ts';
import { iso } from '../../domain/time/period.ts';
import type { RateCard, Rates } from '../../domain/pricing/price.ts';
import type { UserPrice } from '../../storage/records/price-records.ts';
import type { PriceShape, UserPriceShape } from '../../contract/usage.ts';
import { isoOrNull } from '../iso-or-null.ts';

/** pico-USD per token → USD per million tokens. */
const PER_MILLION_DIGITS = PICO_DIGITS - 6;

export function userPriceView({ id, card, createdAt }: UserPrice): UserPriceShape {
  return { id, ...priceView(card), createdAt: iso(createdAt) };
}

export function priceView(card: RateCard): PriceShape {
  const [base, ...longer] = card.tiers;
  return {
    provider: card.provider,
    model: card.model,
    from: isoOrNull(card.from),
    until: isoOrNull(card.until),
    usdPerMillion: perMillion(base?.rates ?? {}),
    longPrompts: longer.map(({ above, rates }) => ({ above, usdPerMillion: perMillion(rates) })),
    speeds: mapRates(card.speeds, perMillion),
    tierMultipliers: mapRates(card.tierMultipliers, ({ num, den }) => num / den),
    geoMultipliers: mapRates(card.geoMultipliers, ({ num, den }) => num / den),
    fees: mapRates(card.fees, (pico) => toDecimal(pico, PICO_DIGITS)),
    contextWindow: card.contextWindow,
    version: card.version,
    source: card.source,
  };
}

function perMillion(rates: Rates): Rates {
  return mapRates(rates, (pico) => toDecimal(pico, PER_MILLION_DIGITS));
}

/** The number nearest to the exact decimal. */
function toDecimal(whole: number, digits: number): number {
  return Number(`${whole}e-${digits}`);
}

function mapRates<From, To>(object: Readonly<Record<string, From>>, map: (value: From) => To): Record<string, To> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));
}
