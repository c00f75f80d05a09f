import { type CallAmounts, type CallEnd, isUncertain } from '../usage/call.ts';
import type { UsageTotals } from '../usage/usage-totals.ts';
import type { LimitUnit } from './limit.ts';
import { inputTokens, outputTokens, totalTokens } from '../usage/usage.ts';

/** Returns an amount in a unit. A call without a price counts 0 USD; `concurrency` counts 1 per running call. */
export function amountIn(unit: LimitUnit, { usd, inputTokens: input, outputTokens: output }: CallAmounts): number {
  switch (unit) {
    case 'usd':
      return usd ?? 0;
    case 'calls':
    case 'concurrency':
      return 1;
    case 'tokens':
      return input + output;
    case 'input_tokens':
      return input;
    case 'output_tokens':
      return output;
  }
}

type CountedCall = Pick<CallEnd, 'outcome' | 'uncertainReason' | 'counted' | 'cost' | 'usage'>;

/** Returns the amount that limits count for an ended call: 0 if it was not sent, or in `concurrency`. */
export function countedIn(unit: LimitUnit, end: Pick<CountedCall, 'outcome' | 'counted'>): number {
  return end.outcome === 'not_sent' || unit === 'concurrency' ? 0 : amountIn(unit, end.counted);
}

/** Returns the amount that limits count for a sum of calls. */
export function countedTotal(unit: LimitUnit, totals: UsageTotals): number {
  if (unit === 'calls' || unit === 'concurrency') return unit === 'calls' ? totals.calls : 0;
  return amountIn(unit, {
    usd: Number(totals.cost + totals.uncertainUpTo + totals.unpricedUpTo),
    inputTokens: totals.inputTokens + totals.uncertainInputTokens,
    outputTokens: totals.outputTokens + totals.uncertainOutputTokens,
  });
}

/** The part of `countedIn` that the provider may not have charged. */
export function uncertainIn(unit: LimitUnit, end: CountedCall): number {
  if (!isUncertain(end) || end.outcome === 'not_sent') return 0;
  const tokens = end.usage ? totalTokens(end.usage) : {};
  const effective = { usd: end.cost, inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens) };
  return Math.max(0, countedIn(unit, end) - amountIn(unit, effective));
}
