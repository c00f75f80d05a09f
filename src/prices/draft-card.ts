import { createHash } from 'node:crypto';
import type { LengthTier, RateCard, TokenRates } from '../domain/pricing/price.ts';
import { TOKEN_CLASSES } from '../domain/usage/usage.ts';
import {
  parseInstant,
  type LongPromptFactors,
  parseModifiers,
  parseMultiplier,
  parseRates,
  parseTiers,
  type PatchRow,
  type ClassMultiples,
  type PriceFields,
  type PriceFile,
} from './price-rows.ts';

/** Rules that give a rate to a class without one. */
export interface ClassRules {
  readonly sameAs: NonNullable<PriceFile['sameAs']>;
  readonly multiples: ClassMultiples;
}

/** A card before patches. Its version starts with `origin`. */
export interface DraftCard extends Omit<RateCard, 'version' | 'provider' | 'model'> {
  readonly origin: string;
  /** Hours of each UTC day in which it applies, in ms since midnight; null = all day. */
  readonly daily: { readonly start: number; readonly end: number; readonly workdays: boolean } | null;
}

/** A card with the time in which it applies. If several apply, the last in the list wins. */
export interface PricePeriod {
  readonly from: number | null;
  readonly until: number | null;
  readonly daily: DraftCard['daily'];
  readonly card: RateCard;
}

export function createDraft(known: Partial<DraftCard> & Pick<DraftCard, 'origin' | 'source' | 'tiers'>): DraftCard {
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

export function parseDraft(origin: string, row: PriceFields & { readonly source: string }): DraftCard {
  return createDraft({
    origin,
    source: row.source,
    from: parseInstant(row.from),
    until: parseInstant(row.until),
    daily: row.daily ? parseHours(row.daily) : null,
    tiers: parseTiers(row),
    ...parseModifiers(row),
    contextWindow: row.contextWindow ?? null,
  });
}

function parseHours({ from, until, workdays = false }: NonNullable<PriceFields['daily']>): DraftCard['daily'] {
  const timeOf = (text: string): number => Date.parse(`1970-01-01T${text}:00Z`);
  return { start: timeOf(from), end: timeOf(until), workdays };
}

/** Applies the patches and class rules, and adds the card's version. */
export function finishPeriod(
  provider: string,
  model: string,
  { origin, daily, ...base }: DraftCard,
  patches: readonly PatchRow[],
  rules: ClassRules,
): PricePeriod {
  const added: TokenRates = {};
  for (const patch of patches) Object.assign(added, parseRates(patch.usdPerMillion ?? {}));
  const modifiers = [...patches.map(parseModifiers), base].reduce(mergeModifiers);
  const tierExceptions = patches.findLast((patch) => patch.tierExceptions)?.tierExceptions;
  const speeds = Object.entries(modifiers.speeds).map(([speed, rates]) => [speed, fillRates(rates, rules)] as const);
  const content = {
    ...base,
    provider,
    model,
    tiers: addLongPrompts(
      base.tiers.map(({ above, rates }) => ({ above, rates: fillRates({ ...added, ...rates }, rules) })),
      patches,
    ),
    speeds: Object.fromEntries(speeds),
    tierMultipliers: modifiers.tierMultipliers,
    ...(tierExceptions && { tierExceptions }),
    geoMultipliers: modifiers.geoMultipliers,
    fees: modifiers.fees,
    contextWindow: patches.findLast((patch) => patch.contextWindow)?.contextWindow ?? base.contextWindow,
    source: [...new Set([base.source, ...patches.map((patch) => patch.source)])].join('; '),
  };
  return { from: base.from, until: base.until, daily, card: { ...content, version: cardVersion(origin, content) } };
}

/** A price that has length tiers keeps them. */
function addLongPrompts(tiers: readonly LengthTier[], patches: readonly PatchRow[]): readonly LengthTier[] {
  const [first, ...longer] = tiers;
  if (first === undefined || longer.length > 0) return tiers;
  const factors = patches.flatMap(({ longPrompts = [] }) => longPrompts);
  return [first, ...factors.map((each) => ({ above: each.above, rates: multiplyRates(first.rates, each) }))];
}

function multiplyRates(rates: TokenRates, { input, output }: LongPromptFactors): TokenRates {
  const factors = { input: parseMultiplier(input), output: parseMultiplier(output) };
  const long: TokenRates = {};
  for (const name of TOKEN_CLASSES) {
    const { num, den } = name.startsWith('output') ? factors.output : factors.input;
    const rate = rates[name];
    if (rate !== undefined) long[name] = Math.ceil((rate * num) / den);
  }
  return long;
}

type ModifierValues = ReturnType<typeof parseModifiers>;

/** Merges modifiers: later patches override earlier ones, and the price itself overrides all. */
function mergeModifiers(earlier: ModifierValues, later: ModifierValues): ModifierValues {
  return {
    speeds: { ...earlier.speeds, ...later.speeds },
    tierMultipliers: { ...earlier.tierMultipliers, ...later.tierMultipliers },
    geoMultipliers: { ...earlier.geoMultipliers, ...later.geoMultipliers },
    fees: { ...earlier.fees, ...later.fees },
  };
}

/** Fills in missing rates in the order of the classes, so that a filled rate can be used for the next. */
function fillRates(given: TokenRates, { sameAs, multiples }: ClassRules): TokenRates {
  const rates: TokenRates = { ...given };
  for (const name of TOKEN_CLASSES) {
    const multiple = multiples[name];
    const of = multiple && TOKEN_CLASSES.find((each) => each === multiple.of);
    const rate = of && given[of];
    if (multiple && rate !== undefined) rates[name] ??= rate * multiple.factor;
  }
  for (const name of TOKEN_CLASSES) {
    const other = TOKEN_CLASSES.find((each) => each === sameAs[name]);
    const rate = other && rates[other];
    if (rate !== undefined) rates[name] ??= rate;
  }
  return rates;
}

/** Returns `origin/model/first day#hash`. The hash changes with any figure, but not with the wording of the source. */
function cardVersion(origin: string, content: Omit<RateCard, 'version'>): string {
  const first = content.from === null ? 'always' : new Date(content.from).toISOString().replace('T00:00:00.000Z', '');
  const hash = createHash('sha256')
    .update(canonical({ ...content, source: undefined }))
    .digest('hex')
    .slice(0, 8);
  return `${origin}/${content.model}/${first}#${hash}`;
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each !== null && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
