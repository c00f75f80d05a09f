import type { UsageTotals } from '../../src/domain/usage/usage-totals.ts';
import {
  type CallAmounts,
  type Entry,
  isUncertain,
  type PricedCosts,
  uncertainUpTo,
} from '../../src/domain/usage/call.ts';
import {
  CACHE_READ_CLASSES,
  CACHE_WRITE_CLASSES,
  inputTokens,
  outputTokens,
  sumClasses,
  type TokenCounts,
  totalTokens,
} from '../../src/domain/usage/usage.ts';

/** Returns the totals of entries by their definition, as every engine must return them. */
export function expectedTotals(entries: readonly Entry[]): UsageTotals {
  const sent = entries.filter(({ outcome }) => outcome !== 'not_sent');
  const count = (isCounted: (entry: Entry) => boolean): number => sent.filter(isCounted).length;
  const tokens = (read: (counts: TokenCounts) => number): number =>
    sent.reduce((sum, { usage }) => sum + (usage ? read(totalTokens(usage)) : 0), 0);
  const beyond = (counted: (amounts: CallAmounts) => number, read: (counts: TokenCounts) => number): number =>
    sent.reduce((sum, entry) => sum + counted(entry.counted), 0) - tokens(read);
  return {
    calls: sent.length,
    uncountedRecords: 0,
    failedCalls: count(({ outcome }) => outcome === 'failed'),
    cost: sent.reduce((sum, { cost }) => sum + BigInt(cost ?? 0), 0n),
    inputTokens: tokens(inputTokens),
    cacheReadTokens: tokens((counts) => sumClasses(counts, CACHE_READ_CLASSES)),
    cacheWriteTokens: tokens((counts) => sumClasses(counts, CACHE_WRITE_CLASSES)),
    outputTokens: tokens(outputTokens),
    unpricedCalls: count((entry) => entry.cost === null && !isUncertain(entry)),
    unpricedUses: 0,
    uncertainCalls: count(isUncertain),
    uncertainUpTo: sent.reduce((sum, entry) => sum + BigInt(uncertainUpTo(entry)), 0n),
    unpricedUpTo: sent.reduce(
      (sum, entry) => sum + BigInt(entry.counted.usd ?? 0) - BigInt(entry.cost ?? 0) - BigInt(uncertainUpTo(entry)),
      0n,
    ),
    listBeyondCost: sent.reduce((sum, entry) => sum + pricedBeyond(entry, 'list'), 0n),
    contractedBeyondCost: sent.reduce((sum, entry) => sum + pricedBeyond(entry, 'contracted'), 0n),
    uncertainInputTokens: beyond(({ inputTokens: counted }) => counted, inputTokens),
    uncertainOutputTokens: beyond(({ outputTokens: counted }) => counted, outputTokens),
  };
}

function pricedBeyond({ priced, cost }: Entry, by: keyof PricedCosts): bigint {
  return priced && cost !== null ? BigInt(priced[by]) - BigInt(cost) : 0n;
}

/** Returns the first entry of each call ID, as a ledger keeps them. */
export function firstOfEach(entries: readonly Entry[]): Entry[] {
  return [...new Map(entries.toReversed().map((entry) => [entry.callId, entry])).values()];
}
