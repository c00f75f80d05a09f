import type { LocalSource } from '../sessions/local-call.ts';
import { addWhole, multiplyWhole, NANO_MAX, type WholeAmount } from '../money/money.ts';
import { type PicoFraction, priceLines, type PriceLine, type ResolveCard, roundToNano, sumLines } from './pricing.ts';
import { recordParts, type RecordPart, type SessionRecord } from '../sessions/session-record.ts';
import { NO_TERMS, type TokenCounts } from '../usage/usage.ts';

/** Charged usage of one record. */
export interface RecordUse {
  readonly parts: readonly RecordPart[];
  readonly webSearches: number;
  readonly roundingPico: number;
}

export interface PricedRecord {
  /** nano-USD of everything that has a price. */
  readonly cost: number;
  /** Calls of the parts that have none. */
  readonly unpricedCalls: number;
  /** Something has none that is of no known number of calls. */
  readonly unpricedUsage: boolean;
  readonly versions: readonly string[];
  /** A sentence that says what has no price; null = everything has. */
  readonly missing: string | null;
}

/**
 * Prices a record. The result equals the sum of the calls' costs, to the nano-dollar, at the prices used for the record.
 */
export function priceRecord(record: SessionRecord, source: LocalSource, resolve: ResolveCard): PricedRecord {
  return priceUse(recordUse(record, source), record.model, resolve);
}

export function recordUse(record: SessionRecord, source: LocalSource): RecordUse {
  const { webSearches = 0, roundingPico = 0 } = record;
  return { parts: recordParts(record, source), webSearches, roundingPico };
}

export function priceUse(
  { parts, webSearches, roundingPico }: RecordUse,
  model: string,
  resolve: ResolveCard,
): PricedRecord {
  const { exact, ...priced } = exactCost({ parts, webSearches }, model, resolve);
  const cost = roundToNano({ pico: withRounding(exact, roundingPico), den: exact.den });
  if (cost > NANO_MAX) {
    const calls = countCalls(parts);
    const missing = 'The usage costs more than a record can hold.';
    return { cost: 0, unpricedCalls: calls, unpricedUsage: calls === 0, versions: [], missing };
  }
  return { cost: Number(cost), ...priced };
}

function withRounding({ pico, den }: PicoFraction, roundingPico: number): WholeAmount {
  if (roundingPico >= 0) return addWhole(pico, multiplyWhole(roundingPico, den));
  const rounded = BigInt(pico) + BigInt(roundingPico) * BigInt(den);
  return rounded > 0n ? rounded : 0;
}

export interface ExactCost extends Omit<PricedRecord, 'cost'> {
  readonly exact: PicoFraction;
}

/** Before any rounding. A part that lacks one price has none. */
export function exactCost(
  { parts, webSearches }: Pick<RecordUse, 'parts' | 'webSearches'>,
  model: string,
  resolve: ResolveCard,
): ExactCost {
  const lines: PriceLine[] = [];
  const versions = new Set<string>();
  let [unpricedCalls, isUncounted, missing]: [number, boolean, string | null] = [0, false, null];
  const add = (usage: Parameters<typeof priceLines>[0], calls: number): void => {
    const priced = priceLines(usage, model, resolve, calls);
    if (priced.missing === null) {
      lines.push(...priced.lines);
      for (const version of priced.versions) versions.add(version);
      return;
    }
    missing ??= priced.missing;
    unpricedCalls += calls;
    isUncounted ||= calls === 0;
  };
  for (const { tokens, promptTokens, terms, calls } of parts)
    if (hasTokens(tokens))
      add({ inferences: [{ model: null, tokens, promptTokens }], uses: {}, thinking: 0, terms }, calls);
  // It is unknown which of the calls searched.
  if (webSearches > 0) add({ inferences: [], uses: { webSearch: webSearches }, thinking: 0, terms: NO_TERMS }, 0);
  // Where no call has a price, what is uncounted is of them.
  const unpricedUsage = isUncounted && (unpricedCalls === 0 || unpricedCalls < countCalls(parts));
  return { exact: sumLines(lines), unpricedCalls, unpricedUsage, versions: [...versions], missing };
}

function countCalls(parts: readonly RecordPart[]): number {
  return parts.reduce((sum, { calls }) => sum + calls, 0);
}

function hasTokens(tokens: TokenCounts): boolean {
  return Object.values(tokens).some((count) => count > 0);
}
