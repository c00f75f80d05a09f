import { addTotals, emptySum, type MutableTotals, type UsageTotals } from '../usage/usage-totals.ts';

/** Usage of clients on a day, split by what a report states of it. */
export interface ReportedSplit {
  /** The part that the report states too. */
  readonly reported: UsageTotals;
  /** The part beyond the report. */
  readonly owed: UsageTotals;
}

/**
 * Splits usage that clients saw by a report that may lack some of it, and takes the reported part out of `left`, so that
 * both together are the larger of the two in each measure.
 */
export function splitReported(seen: UsageTotals, left: MutableTotals): ReportedSplit {
  const reported = emptySum();
  for (const name of ['calls', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens', 'unpricedCalls'] as const)
    reported[name] = Math.min(seen[name], left[name]);
  const cached = reported.cacheReadTokens + reported.cacheWriteTokens;
  reported.inputTokens = cached + Math.min(uncachedTokens(seen), uncachedTokens(left));
  reported.cost = seen.cost < left.cost ? seen.cost : left.cost;
  addTotals(left, reported, -1);
  const owed = { ...seen };
  addTotals(owed, reported, -1);
  // What the report has more may be the uncertain cost.
  owed.uncertainUpTo = seen.uncertainUpTo > left.cost ? seen.uncertainUpTo - left.cost : 0n;
  if (owed.uncertainUpTo === 0n) owed.uncertainCalls = 0;
  return { reported, owed };
}

function uncachedTokens({ inputTokens, cacheReadTokens, cacheWriteTokens }: UsageTotals): number {
  return inputTokens - cacheReadTokens - cacheWriteTokens;
}
