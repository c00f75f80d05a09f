import type { RateCard, TokenRates } from '../domain/pricing/price.ts';
import { DAY_MS } from '../domain/time/units.ts';
import type { PricePeriod } from './draft-card.ts';
import type { PriceBook } from './price-book.ts';
import { cardAt } from './price-periods.ts';

/** One figure of a price: a rate, a fee, a multiplier or the context window. */
interface FigureChange {
  /** `input`, `output above 200000`, `fast input`, `priority multiplier`, `webSearch fee`. */
  readonly name: string;
  /** USD per million tokens, USD per use, or a plain number; null = none. */
  readonly before: number | null;
  readonly after: number | null;
}

/** A model whose price two lists see differently. */
export interface PriceChange {
  readonly provider: string;
  readonly model: string;
  readonly kind: 'new' | 'changed' | 'removed';
  /** First time at which the prices differ (epoch ms); null = they always did, or do now. */
  readonly from: number | null;
  readonly figures: readonly FigureChange[];
  /** The change is so large that it may be a mistake: a person must accept it. */
  readonly isLarge: boolean;
}

type ListedBook = Pick<PriceBook, 'names' | 'periods'>;

/** A figure that changes by more than this factor, in either direction, is probably a mistake. */
const FACTOR_MAX = 2;
/** pico-USD per token → USD per million tokens, and pico-USD per use → USD. */
const PICO_PER_RATE = 1e6;
const PICO_PER_FEE = 1e12;
/** A Monday: hours of working days apply on it. */
const MONDAY = Date.parse('2026-01-05');

/** Returns the changes between two price lists of the given providers. A model with several names is listed once. */
export function comparePriceLists(
  before: ListedBook,
  after: ListedBook,
  providers: readonly string[],
  now: number,
): PriceChange[] {
  return providers.toSorted().flatMap((provider) => compareProvider(before, after, provider, now));
}

function compareProvider(before: ListedBook, after: ListedBook, provider: string, now: number): PriceChange[] {
  const compared = new Map<readonly PricePeriod[], Set<readonly PricePeriod[]>>();
  const names = new Set([...after.names(provider), ...before.names(provider)]);
  return [...names].flatMap((model) => {
    const [was, is] = [before.periods(provider, model), after.periods(provider, model)];
    const seen = compared.get(was) ?? new Set();
    if (seen.has(is)) return [];
    compared.set(was, seen.add(is));
    return comparePeriods({ provider, model }, was, is, now);
  });
}

/** Returns the first difference, now or at another time, as large as the largest one. */
function comparePeriods(
  named: Pick<PriceChange, 'provider' | 'model'>,
  before: readonly PricePeriod[],
  after: readonly PricePeriod[],
  now: number,
): PriceChange[] {
  const times = [now, ...boundaries([...before, ...after])];
  const changes = times.flatMap((at) => {
    const figures = compareCards(cardAt(before, at), cardAt(after, at));
    return figures.length === 0 ? [] : [{ at, figures }];
  });
  const [first] = changes;
  if (!first) return [];
  const kind = before.length === 0 ? 'new' : after.length === 0 ? 'removed' : 'changed';
  const isLarge = kind === 'removed' || changes.some(({ figures }) => figures.some(isLargeChange));
  return [{ ...named, kind, from: first.at === now ? null : first.at, figures: first.figures, isLarge }];
}

/** Returns the times at which one of the prices may begin or end. */
function boundaries(periods: readonly PricePeriod[]): number[] {
  const days = new Set(periods.flatMap(({ from, until }) => [from, until]).filter((time) => time !== null));
  const hours = periods.flatMap(({ daily }) => (daily === null ? [] : [daily.start, daily.end]));
  const starts = [...days].toSorted((a, b) => a - b);
  return [
    ...starts,
    ...[...starts, Math.max(MONDAY, ...starts)].flatMap((day) => hours.map((hour) => monday(day) + hour)),
  ];
}

/** Returns the first Monday that begins at a time or later. */
function monday(time: number): number {
  const week = 7 * DAY_MS;
  return MONDAY + Math.ceil((time - MONDAY) / week) * week;
}

function compareCards(before: RateCard | null, after: RateCard | null): FigureChange[] {
  if (before === after) return [];
  const [was, is] = [readFigures(before), readFigures(after)];
  return [...new Set([...is.keys(), ...was.keys()])]
    .map((name) => ({ name, before: was.get(name) ?? null, after: is.get(name) ?? null }))
    .filter((figure) => figure.before !== figure.after);
}

function readFigures(card: RateCard | null): Map<string, number> {
  if (card === null) return new Map();
  const { tiers, speeds, tierMultipliers, tierExceptions = {}, geoMultipliers, fees, contextWindow } = card;
  return new Map<string, number>([
    ...tiers.flatMap(({ above, rates }) => rateFigures(rates, (name) => (above < 0 ? name : `${name} above ${above}`))),
    ...Object.entries(speeds).flatMap(([speed, rates]) => rateFigures(rates, (name) => `${speed} ${name}`)),
    ...Object.entries({ ...geoMultipliers, ...tierMultipliers }).map(
      ([name, { num, den }]) => [`${name} multiplier`, num / den] as const,
    ),
    ...Object.entries(tierExceptions).flatMap(([tier, classes]) =>
      classes.map((name) => [`${tier} ${name} multiplier`, 1] as const),
    ),
    ...Object.entries(fees).map(([name, fee]) => [`${name} fee`, fee / PICO_PER_FEE] as const),
    ...(contextWindow === null ? [] : [['context window', contextWindow] as const]),
  ]);
}

function rateFigures(rates: TokenRates, toName: (rate: string) => string): (readonly [string, number])[] {
  return Object.entries(rates).map(([name, rate]) => [toName(name), rate / PICO_PER_RATE] as const);
}

/** A price of nothing and a figure that disappears are as suspicious as a jump: limits would no longer hold. */
function isLargeChange({ before, after }: FigureChange): boolean {
  if (after === 0) return true;
  if (before === null) return false;
  return after === null || after > before * FACTOR_MAX || after * FACTOR_MAX < before;
}
