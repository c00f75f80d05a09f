import { EMPTY_TOTALS, type UsageTotals } from '../domain/usage/usage-totals.ts';
import { type Entry, isUncertain, uncertainUpTo } from '../domain/usage/call.ts';
import type { LimitUnit } from '../domain/limits/limit.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  inputTokens,
  outputTokens,
  sumClasses,
  totalTokens,
} from '../domain/usage/usage.ts';

/** Measures of entries. Unproxied usage is not an entry. */
type EntryMeasure = Exclude<keyof UsageTotals, 'uncountedRecords' | 'unpricedUses'>;

/** Measures of a sum, in the order of their columns. Engines use these column names. */
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
  unpricedUpTo: 'unpriced_up_to',
  listBeyondCost: 'list_beyond_cost',
  contractedBeyondCost: 'contracted_beyond_cost',
  uncertainInputTokens: 'uncertain_input_tokens',
  uncertainOutputTokens: 'uncertain_output_tokens',
} as const satisfies Record<EntryMeasure, string>;
export const MEASURE_COLUMNS: readonly string[] = Object.values(MEASURES);

/** Measures of usage outside the gateway, in the order of their columns. */
export const UNPROXIED_MEASURES = {
  calls: 'calls',
  uncountedRecords: 'uncounted_records',
  cost: 'cost',
  inputTokens: 'input_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  outputTokens: 'output_tokens',
  unpricedCalls: 'unpriced_calls',
  unpricedUses: 'unpriced_uses',
} as const satisfies Partial<Record<keyof UsageTotals, string>>;

/** Measures of observed calls, in the order of their columns. */
export const OBSERVED_MEASURES = {
  calls: 'calls',
  cost: 'cost',
  inputTokens: 'input_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  outputTokens: 'output_tokens',
  unpricedCalls: 'unpriced_calls',
  uncertainCalls: 'uncertain_calls',
  uncertainUpTo: 'uncertain_up_to',
} as const satisfies Partial<Record<keyof UsageTotals, string>>;

/** Measures of one entry as numbers, money in nano-USD; all whole and below 2^53. */
export type EntryCounts = { readonly [Name in EntryMeasure]: number };

/** Returns what an entry adds to every sum. An entry that was not sent adds nothing. */
export function entryCounts(entry: Entry): EntryCounts {
  if (entry.outcome === 'not_sent') return NOTHING;
  const tokens = entry.usage ? totalTokens(entry.usage) : {};
  const { cost, counted, priced } = entry;
  const input = inputTokens(tokens);
  const output = outputTokens(tokens);
  const uncertain = isUncertain(entry);
  const upTo = uncertainUpTo(entry);
  return {
    calls: 1,
    failedCalls: entry.outcome === 'failed' ? 1 : 0,
    cost: cost ?? 0,
    inputTokens: input,
    cacheReadTokens: sumClasses(tokens, CACHE_READ_CLASSES),
    cacheWriteTokens: sumClasses(tokens, CACHE_WRITE_CLASSES),
    outputTokens: output,
    unpricedCalls: cost === null && !uncertain ? 1 : 0,
    uncertainCalls: uncertain ? 1 : 0,
    uncertainUpTo: upTo,
    unpricedUpTo: (counted.usd ?? 0) - (cost ?? 0) - upTo,
    listBeyondCost: priced && cost !== null ? priced.list - cost : 0,
    contractedBeyondCost: priced && cost !== null ? priced.contracted - cost : 0,
    uncertainInputTokens: counted.inputTokens - input,
    uncertainOutputTokens: counted.outputTokens - output,
  };
}

const NOTHING: EntryCounts = {
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
  unpricedUpTo: 0,
  listBeyondCost: 0,
  contractedBeyondCost: 0,
  uncertainInputTokens: 0,
  uncertainOutputTokens: 0,
};

/** Returns the measures of an entry for sums that may exceed 2^53. */
export function entryTotals(entry: Entry): UsageTotals {
  const counts = entryCounts(entry);
  const { cost, uncertainUpTo: upTo, unpricedUpTo, listBeyondCost, contractedBeyondCost } = counts;
  const money = {
    cost: BigInt(cost),
    uncertainUpTo: BigInt(upTo),
    unpricedUpTo: BigInt(unpricedUpTo),
    listBeyondCost: BigInt(listBeyondCost),
    contractedBeyondCost: BigInt(contractedBeyondCost),
  };
  return { ...EMPTY_TOTALS, ...counts, ...money };
}

/** Returns what limits count for the calls of a sum in a unit, and the uncertain part of that. */
export function countedIn(unit: LimitUnit, sum: UsageTotals): { counted: bigint; uncertain: bigint } {
  switch (unit) {
    case 'usd':
      return { counted: sum.cost + sum.uncertainUpTo + sum.unpricedUpTo, uncertain: sum.uncertainUpTo };
    case 'calls':
      return { counted: BigInt(sum.calls), uncertain: 0n };
    case 'tokens':
      return sureAndUncertain(sum.inputTokens + sum.outputTokens, sum.uncertainInputTokens + sum.uncertainOutputTokens);
    case 'input_tokens':
      return sureAndUncertain(sum.inputTokens, sum.uncertainInputTokens);
    case 'output_tokens':
      return sureAndUncertain(sum.outputTokens, sum.uncertainOutputTokens);
    case 'concurrency':
      return sureAndUncertain(0, 0);
  }
}

function sureAndUncertain(sure: number, uncertain: number): { counted: bigint; uncertain: bigint } {
  return { counted: BigInt(sure) + BigInt(uncertain), uncertain: BigInt(uncertain) };
}
