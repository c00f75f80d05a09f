import { contextRange, REPORT_CLASSES, type ReportAmounts, type ReportedUsage } from './provider-report.ts';
import { multiplyWhole } from '../money/money.ts';
import {
  type PicoFraction,
  priceLines,
  type PriceLine,
  type ResolveCard,
  roundToNano,
  sumLines,
} from '../pricing/pricing.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  INPUT_CLASSES,
  OUTPUT_CLASSES,
  sumClasses,
  TOKEN_CLASSES,
  type TokenClass,
  type TokenCounts,
  USE_CLASSES,
  type UseCounts,
} from '../usage/usage.ts';

/**
 * Computes usage outside the gateway: `max(0, report − proxied)` for each class of one provider key, model and final UTC
 * day, so that each call counts once.
 */

/** The classes that sums of calls keep apart; `input` is uncached. */
export const FAMILY_NAMES = ['input', 'cacheRead', 'cacheWrite', 'output'] as const;
export type FamilyName = (typeof FAMILY_NAMES)[number];
const FAMILIES = {
  input: INPUT_CLASSES,
  cacheRead: CACHE_READ_CLASSES,
  cacheWrite: CACHE_WRITE_CLASSES,
  output: OUTPUT_CLASSES,
} as const satisfies Record<FamilyName, readonly TokenClass[]>;
export type FamilyTokens = Readonly<Record<FamilyName, number>>;

const NO_TOKEN_CLASSES = REPORT_CLASSES.filter((name) => !TOKEN_CLASSES.some((token) => token === name));

/** Batches do not go through the gateway. Only the provider knows which calls were served at the other tiers. */
const OUTSIDE_TIERS: ReadonlySet<string> = new Set(['batch', 'flex_discount', 'priority_on_demand']);

/** Tests for tiers outside the gateway; usage through it is subtracted from other tiers first. */
export function isOutsideTier(tier: string | null): boolean {
  return tier !== null && OUTSIDE_TIERS.has(tier);
}

export type ReportedPart = Pick<ReportedUsage, 'tier' | 'context' | 'geo' | 'speed' | 'amounts' | 'requests'>;

/** Usage of calls through the gateway. */
export interface ProxiedAmounts {
  readonly amounts: ReportAmounts;
  /** Effective usage of uncertain calls, in addition. */
  readonly effective: FamilyTokens;
  readonly calls: number;
}

/** One provider key, model and UTC day. */
export interface ResidualCell {
  readonly model: string | null;
  readonly rows: readonly ReportedPart[];
  /** Usage of all workspaces; null = the key was never wrapped. */
  readonly proxied: ProxiedAmounts | null;
  /** The day is final. */
  readonly isClosed: boolean;
}

export interface ResidualUsage {
  readonly notProxied: ReportAmounts;
  /** nano-USD at the card's price, by the report's own mix of tiers, lengths and places; null = unknown. */
  readonly cost: bigint | null;
  /** A sentence that says what has no price; null when there is a cost. */
  readonly missing: string | null;
  /** The report does not say how long prompts were, and long ones cost more. */
  readonly lengthUnsure: boolean;
  readonly calls: number;
  /** Usage without a count adds no calls. */
  readonly callsUnknown: boolean;
}

export function sumFamilies(amounts: TokenCounts): FamilyTokens {
  const { input, cacheRead, cacheWrite, output } = FAMILIES;
  return {
    input: sumClasses(amounts, input),
    cacheRead: sumClasses(amounts, cacheRead),
    cacheWrite: sumClasses(amounts, cacheWrite),
    output: sumClasses(amounts, output),
  };
}

export const NO_TOKENS: FamilyTokens = { input: 0, cacheRead: 0, cacheWrite: 0, output: 0 };
/** Reports add up calls: a fee per request is not part of one row's price. */
const NO_CALLS = 0;
const NOTHING: ResidualUsage = {
  notProxied: {},
  cost: 0n,
  missing: null,
  lengthUnsure: false,
  calls: 0,
  callsUnknown: false,
};

export function computeResidual({ model, rows, proxied, isClosed }: ResidualCell, resolve: ResolveCard): ResidualUsage {
  // A day that is not final counts only what is certain: calls through the gateway.
  if (proxied && !isClosed) return NOTHING;
  const bill = new ResidualBill(model, resolve);
  const outsideTiers = bill.lines(rows.filter(({ tier }) => isOutsideTier(tier)));
  const otherShare = bill.lines(rows.filter(({ tier }) => !isOutsideTier(tier)));
  const notProxied = lessProxied(sumRowAmounts(rows), proxied);
  for (const name of TOKEN_CLASSES) {
    const rest = notProxied[name] ?? 0;
    const fromOutsideTiers = Math.min(rest, outsideTiers.tokens[name] ?? 0);
    bill.add(outsideTiers, name, fromOutsideTiers);
    bill.add(otherShare, name, rest - fromOutsideTiers);
  }
  bill.addUses(notProxied);
  const requests = rows.reduce((sum, row) => sum + (row.requests ?? 0), 0);
  const isAny = Object.keys(notProxied).length > 0;
  return {
    notProxied,
    ...bill.total(),
    calls: Math.max(0, requests - (proxied?.calls ?? 0)),
    callsUnknown: isAny && rows.some((row) => row.requests === null),
  };
}

/** Subtracts proxied usage class by class; effective usage is subtracted from the classes of its family. */
function lessProxied(reported: ReportAmounts, proxied: ProxiedAmounts | null): ReportAmounts {
  const left: ReportAmounts = {};
  for (const name of REPORT_CLASSES) {
    const rest = (reported[name] ?? 0) - (proxied?.amounts[name] ?? 0);
    if (rest > 0) left[name] = rest;
  }
  for (const family of FAMILY_NAMES) {
    let effective = proxied?.effective[family] ?? 0;
    for (const name of FAMILIES[family]) {
      const taken = Math.min(effective, left[name] ?? 0);
      effective -= taken;
      if (taken > 0) left[name] = (left[name] ?? 0) - taken;
      if (left[name] === 0) delete left[name];
    }
  }
  return left;
}

/** Rows that share what is not proxied in proportion. */
interface RowShare {
  readonly tokens: TokenCounts;
  readonly priced: readonly PriceLine[];
  readonly missing: string | null;
  readonly lengthUnsure: boolean;
}

/** Collects exact amounts; rounded once, at the end. */
class ResidualBill {
  readonly #model: string;
  readonly #resolve: ResolveCard;
  readonly #amounts: { readonly amount: PicoFraction }[] = [];
  #missing: string | null = null;
  #lengthUnsure = false;

  constructor(model: string | null, resolve: ResolveCard) {
    this.#model = model ?? '';
    this.#resolve = model === null ? () => null : resolve;
  }

  lines(rows: readonly ReportedPart[]): RowShare {
    const priced = rows.map(({ tier, speed, geo, context, amounts }) => {
      const inference = { model: null, tokens: pickTokens(amounts), promptTokens: leastPromptTokens(context) };
      const usage = { inferences: [inference], uses: {}, thinking: 0, terms: { tier, speed, geo } };
      return priceLines(usage, this.#model, this.#resolve, NO_CALLS);
    });
    return {
      tokens: pickTokens(sumRowAmounts(rows)),
      priced: priced.flatMap(({ lines }) => lines),
      missing: priced.find(({ missing }) => missing !== null)?.missing ?? null,
      lengthUnsure: priced.some(({ lengthUnsure }) => lengthUnsure),
    };
  }

  /** `count` tokens of a class, in the mix of terms that the rows have. */
  add({ tokens, priced, missing, lengthUnsure }: RowShare, name: TokenClass, count: number): void {
    if (count === 0) return;
    const whole = tokens[name] ?? 0;
    const lines = priced.filter(({ item }) => item === name);
    if (lines.reduce((sum, line) => sum + line.count, 0) !== whole)
      return this.#miss(missing ?? 'A count of the report is not a whole number.');
    this.#lengthUnsure ||= lengthUnsure;
    const { pico, den } = sumLines(lines);
    const isAll = count === whole;
    this.#amounts.push({
      amount: isAll ? { pico, den } : { pico: multiplyWhole(pico, count), den: multiplyWhole(den, whole) },
    });
  }

  addUses(amounts: ReportAmounts): void {
    const uses: UseCounts = {};
    for (const name of USE_CLASSES) if (amounts[name]) uses[name] = amounts[name];
    const unknown = NO_TOKEN_CLASSES.find((name) => amounts[name] && !Object.hasOwn(uses, name));
    if (unknown !== undefined) this.#miss(`There is no price for the class ${unknown}.`);
    const terms = { tier: null, speed: null, geo: null };
    const usage = { inferences: [], uses, thinking: 0, terms };
    const { lines, missing } = priceLines(usage, this.#model, this.#resolve, NO_CALLS);
    if (missing !== null) this.#miss(missing);
    this.#amounts.push(...lines);
  }

  total(): Pick<ResidualUsage, 'cost' | 'missing' | 'lengthUnsure'> {
    const cost = this.#missing === null ? BigInt(roundToNano(sumLines(this.#amounts))) : null;
    return { cost, missing: this.#missing, lengthUnsure: this.#lengthUnsure };
  }

  #miss(sentence: string): void {
    this.#missing ??= sentence;
  }
}

function pickTokens(amounts: ReportAmounts): TokenCounts {
  const tokens: TokenCounts = {};
  for (const name of TOKEN_CLASSES) if (amounts[name]) tokens[name] = amounts[name];
  return tokens;
}

function sumRowAmounts(rows: readonly ReportedPart[]): ReportAmounts {
  const sum: ReportAmounts = {};
  for (const { amounts } of rows)
    for (const name of REPORT_CLASSES) if (amounts[name]) sum[name] = (sum[name] ?? 0) + amounts[name];
  return sum;
}

/** A prompt length within a range, whose lower bound is passed; null = the report does not say. */
function leastPromptTokens(context: string | null): number | null {
  const range = contextRange(context);
  return range && (range.above === 0 ? 0 : range.above + 1);
}
