import type { SessionTotals } from './session-store.ts';

/** Measures of session records, in the order of their columns. Engines use these column names. */
export const SESSION_MEASURES = {
  calls: 'calls',
  uncountedRecords: 'uncounted_records',
  cost: 'cost',
  inputTokens: 'input_tokens',
  cacheReadTokens: 'cache_read_tokens',
  cacheWriteTokens: 'cache_write_tokens',
  outputTokens: 'output_tokens',
  unpricedCalls: 'unpriced_calls',
  unpricedUses: 'unpriced_uses',
} as const satisfies Record<keyof SessionTotals, string>;

export const NO_SESSION_TOTALS: SessionTotals = {
  calls: 0,
  uncountedRecords: 0,
  cost: 0n,
  inputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  outputTokens: 0,
  unpricedCalls: 0,
  unpricedUses: 0,
};

export function addSessionTotals(a: SessionTotals, b: SessionTotals): SessionTotals {
  return {
    calls: a.calls + b.calls,
    uncountedRecords: a.uncountedRecords + b.uncountedRecords,
    cost: a.cost + b.cost,
    inputTokens: a.inputTokens + b.inputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    unpricedCalls: a.unpricedCalls + b.unpricedCalls,
    unpricedUses: a.unpricedUses + b.unpricedUses,
  };
}
