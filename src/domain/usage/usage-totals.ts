import type { CostBasis } from './call.ts';

/**
 * Sums of usage: of sent entries (outcome other than `not_sent`), of session files or of provider reports. Usage outside the
 * gateway has neither failures nor uncertain calls.
 */
export interface UsageTotals {
  readonly calls: number;
  /** Records outside the gateway without a number of calls; 0 for entries. */
  readonly uncountedRecords: number;
  readonly failedCalls: number;
  /** Known cost, nano-USD. */
  readonly cost: bigint;
  /** Cost at list prices, and at contracted prices, minus `cost`; nano-USD. */
  readonly listBeyondCost: bigint;
  readonly contractedBeyondCost: bigint;
  /** Uncached + cache reads + cache writes. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly outputTokens: number;
  readonly unpricedCalls: number;
  /** Unproxied usage with neither a price nor a number of calls; 0 for entries. */
  readonly unpricedUses: number;
  readonly uncertainCalls: number;
  /** Sum of counted - cost over uncertain entries, nano-USD. */
  readonly uncertainUpTo: bigint;
  /** Amount that limits count for unpriced calls, nano-USD: counted - cost - uncertainUpTo. */
  readonly unpricedUpTo: bigint;
  /** Tokens that limits count in addition: tokens that uncertain calls may have used. */
  readonly uncertainInputTokens: number;
  readonly uncertainOutputTokens: number;
}

/** A sum during a calculation. */
export type MutableTotals = { -readonly [Name in keyof UsageTotals]: UsageTotals[Name] };

export const EMPTY_TOTALS: UsageTotals = {
  calls: 0,
  uncountedRecords: 0,
  failedCalls: 0,
  cost: 0n,
  listBeyondCost: 0n,
  contractedBeyondCost: 0n,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  unpricedCalls: 0,
  unpricedUses: 0,
  uncertainCalls: 0,
  uncertainUpTo: 0n,
  unpricedUpTo: 0n,
  uncertainInputTokens: 0,
  uncertainOutputTokens: 0,
};

export function emptySum(): MutableTotals {
  return { ...EMPTY_TOTALS };
}

/** Adds `sign` × `totals` to `sum`. */
export function addTotals(sum: MutableTotals, totals: UsageTotals, sign: 1 | -1 = 1): void {
  sum.calls += sign * totals.calls;
  sum.uncountedRecords += sign * totals.uncountedRecords;
  sum.failedCalls += sign * totals.failedCalls;
  sum.cost += sign === 1 ? totals.cost : -totals.cost;
  sum.listBeyondCost += sign === 1 ? totals.listBeyondCost : -totals.listBeyondCost;
  sum.contractedBeyondCost += sign === 1 ? totals.contractedBeyondCost : -totals.contractedBeyondCost;
  sum.inputTokens += sign * totals.inputTokens;
  sum.cacheReadTokens += sign * totals.cacheReadTokens;
  sum.cacheWriteTokens += sign * totals.cacheWriteTokens;
  sum.outputTokens += sign * totals.outputTokens;
  sum.unpricedCalls += sign * totals.unpricedCalls;
  sum.unpricedUses += sign * totals.unpricedUses;
  sum.uncertainCalls += sign * totals.uncertainCalls;
  sum.uncertainUpTo += sign === 1 ? totals.uncertainUpTo : -totals.uncertainUpTo;
  sum.unpricedUpTo += sign === 1 ? totals.unpricedUpTo : -totals.unpricedUpTo;
  sum.uncertainInputTokens += sign * totals.uncertainInputTokens;
  sum.uncertainOutputTokens += sign * totals.uncertainOutputTokens;
}

/** Returns a sum with its cost on a basis. Usage outside the gateway costs the same on each. */
export function withCostBasis<Sum extends Pick<UsageTotals, 'cost' | 'listBeyondCost' | 'contractedBeyondCost'>>(
  sum: Sum,
  basis: CostBasis,
): Sum {
  if (basis === 'effective') return sum;
  return { ...sum, cost: sum.cost + (basis === 'list' ? sum.listBeyondCost : sum.contractedBeyondCost) };
}

/** Sums the totals of rows. */
export function sumTotals(rows: Iterable<{ readonly totals: UsageTotals }>): MutableTotals {
  const sum = emptySum();
  for (const { totals } of rows) addTotals(sum, totals);
  return sum;
}

export function isEmptySum(totals: UsageTotals): boolean {
  return Object.values(totals).every((value) => value === 0 || value === 0n);
}

/** Adds `totals` to the sum of `key`. */
export function addUnder<Key>(sums: Map<Key, MutableTotals>, key: Key, totals: UsageTotals): void {
  let sum = sums.get(key);
  if (!sum) sums.set(key, (sum = emptySum()));
  addTotals(sum, totals);
}
