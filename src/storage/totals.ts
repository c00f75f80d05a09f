import { isUncertain, uncertainUpTo } from '../core/call.ts';
import type { Entry } from '../core/call.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  inputTokens,
  outputTokens,
  sumClasses,
  totalTokens,
} from '../core/usage.ts';
import type { Totals } from './store.ts';

/** The measures of a sum, in the order of their columns; an engine names its columns so. */
export const MEASURES = {
  calls: 'calls',
  failedCalls: 'failed_calls',
  cost: 'cost',
  inputTokens: 'input_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  outputTokens: 'output_tokens',
  unpricedCalls: 'unpriced_calls',
  uncertainCalls: 'uncertain_calls',
  uncertainUpTo: 'uncertain_up_to',
} as const satisfies Record<keyof Totals, string>;
export const MEASURE_COLUMNS: readonly string[] = Object.values(MEASURES);

/** A sum while it is being made. */
export type Sum = { -readonly [Name in keyof Totals]: Totals[Name] };

export function emptySum(): Sum {
  return {
    calls: 0,
    failedCalls: 0,
    cost: 0n,
    inputTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    outputTokens: 0,
    unpricedCalls: 0,
    uncertainCalls: 0,
    uncertainUpTo: 0n,
  };
}

/** Adds `sign` × `totals` to `sum`. */
export function addTotals(sum: Sum, totals: Totals, sign: 1 | -1 = 1): void {
  sum.calls += sign * totals.calls;
  sum.failedCalls += sign * totals.failedCalls;
  sum.cost += sign === 1 ? totals.cost : -totals.cost;
  sum.inputTokens += sign * totals.inputTokens;
  sum.cacheReadTokens += sign * totals.cacheReadTokens;
  sum.cacheWriteTokens += sign * totals.cacheWriteTokens;
  sum.outputTokens += sign * totals.outputTokens;
  sum.unpricedCalls += sign * totals.unpricedCalls;
  sum.uncertainCalls += sign * totals.uncertainCalls;
  sum.uncertainUpTo += sign === 1 ? totals.uncertainUpTo : -totals.uncertainUpTo;
}

export function isEmptySum(totals: Totals): boolean {
  return Object.values(totals).every((value) => value === 0 || value === 0n);
}

/** Adds `totals` to the sum that stands under `key`. */
export function addUnder<Key>(sums: Map<Key, Sum>, key: Key, totals: Totals): void {
  let sum = sums.get(key);
  if (!sum) sums.set(key, (sum = emptySum()));
  addTotals(sum, totals);
}

/** Numbers for `Totals`, money in nano-USD too; all whole and below 2^53. */
export type Counts = { readonly [Name in keyof Totals]: number };

/**
 * What one entry adds to every sum it is in, when `cost` (nano-USD, null = unknown) is what is believed of it now.
 * An entry that was not sent is in no sum.
 */
export function entryCounts(entry: Entry, cost: number | null): Counts {
  if (entry.outcome === 'not_sent') return NOTHING;
  const tokens = entry.usage ? totalTokens(entry.usage) : {};
  const uncertain = isUncertain(entry);
  return {
    calls: 1,
    failedCalls: entry.outcome === 'failed' ? 1 : 0,
    cost: cost ?? 0,
    inputTokens: inputTokens(tokens),
    cacheReadTokens: sumClasses(tokens, CACHE_READ_CLASSES),
    cacheWriteTokens: sumClasses(tokens, CACHE_WRITE_CLASSES),
    outputTokens: outputTokens(tokens),
    unpricedCalls: cost === null && !uncertain ? 1 : 0,
    uncertainCalls: uncertain ? 1 : 0,
    uncertainUpTo: uncertainUpTo({ doubt: entry.doubt, counted: entry.counted, cost }),
  };
}

const NOTHING: Counts = {
  calls: 0,
  failedCalls: 0,
  cost: 0,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  unpricedCalls: 0,
  uncertainCalls: 0,
  uncertainUpTo: 0,
};

/** As `entryCounts`, to be added to sums that may pass 2^53. */
export function entryTotals(entry: Entry, cost: number | null): Totals {
  const counts = entryCounts(entry, cost);
  return { ...counts, cost: BigInt(counts.cost), uncertainUpTo: BigInt(counts.uncertainUpTo) };
}
