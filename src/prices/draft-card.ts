import { createHash } from 'node:crypto';
import type { LengthTier, RateCard, Rates } from '../core/price.ts';
import { TOKEN_CLASSES, type TokenClass } from '../core/usage.ts';
import type { PatchRow, SameAs } from './price-rows.ts';

/** A card before patches; `origin` begins its version. */
export interface DraftCard extends Omit<RateCard, 'version' | 'provider' | 'model'> {
  readonly origin: string;
  /** Hours of each UTC day in which it holds, in ms since midnight; null = all day. */
  readonly daily: { readonly start: number; readonly end: number } | null;
}

/** When a card holds; of several that do, the last in the list wins. */
export interface Period {
  readonly from: number | null;
  readonly until: number | null;
  readonly daily: DraftCard['daily'];
  readonly card: RateCard;
}

export function draft(known: Partial<DraftCard> & Pick<DraftCard, 'origin' | 'source' | 'tiers'>): DraftCard {
  return {
    from: null,
    until: null,
    daily: null,
    speeds: {},
    tierMultipliers: {},
    geoMultipliers: {},
    fees: {},
    contextWindow: null,
    ...known,
  };
}

/** Fills in what the patches and the class rules say, and gives the card its version. */
export function finishPeriod(
  provider: string,
  model: string,
  { origin, daily, ...base }: DraftCard,
  patches: readonly PatchRow[],
  sameAs: SameAs,
): Period {
  const fill = (rates: Rates): Rates => fillRates(rates, patches, sameAs);
  const speeds = { ...merged(patches, 'speeds'), ...base.speeds };
  const content = {
    ...base,
    provider,
    model,
    tiers: base.tiers.map(({ above, rates }): LengthTier => ({ above, rates: fill(rates) })),
    speeds: Object.fromEntries(Object.entries(speeds).map(([speed, rates]) => [speed, fill(rates)])),
    tierMultipliers: { ...merged(patches, 'tierMultipliers'), ...base.tierMultipliers },
    geoMultipliers: { ...merged(patches, 'geoMultipliers'), ...base.geoMultipliers },
    fees: { ...merged(patches, 'fees'), ...base.fees },
    contextWindow: patches.findLast((patch) => patch.contextWindow)?.contextWindow ?? base.contextWindow,
    source: [...new Set([base.source, ...patches.map((patch) => patch.source)])].join('; '),
  };
  return { from: base.from, until: base.until, daily, card: { ...content, version: versionOf(origin, content) } };
}

function merged<K extends 'speeds' | 'tierMultipliers' | 'geoMultipliers' | 'fees'>(
  patches: readonly PatchRow[],
  field: K,
): NonNullable<PatchRow[K]> {
  return Object.assign({}, ...patches.map((patch) => patch[field]));
}

function fillRates(given: Rates, patches: readonly PatchRow[], sameAs: SameAs): Rates {
  const rates: Rates = { ...given };
  const barred = new Set<TokenClass>();
  for (const name of TOKEN_CLASSES) {
    const patch = patches.findLast((each) => each.usdPerMillion?.[name] !== undefined)?.usdPerMillion?.[name];
    if (patch === null) barred.add(name);
    else if (patch !== undefined) rates[name] ??= patch;
  }
  for (const name of TOKEN_CLASSES) {
    const other = sameAs[name];
    const rate = other && rates[other];
    if (rate !== undefined && !barred.has(name)) rates[name] ??= rate;
  }
  return rates;
}

/** `origin/model/first day#hash`: a change of any figure changes the hash, a change of the source's wording doesn't. */
function versionOf(origin: string, { source: _, ...content }: Omit<RateCard, 'version'>): string {
  const first = content.from === null ? 'always' : new Date(content.from).toISOString().replace('T00:00:00.000Z', '');
  const hash = createHash('sha256').update(canonical(content)).digest('hex').slice(0, 8);
  return `${origin}/${content.model}/${first}#${hash}`;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
