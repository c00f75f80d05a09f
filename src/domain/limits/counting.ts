import { type CallAmounts, type CallEnd, isUncertain } from '../usage/call.ts';
import type { LimitUnit } from './limit.ts';
import { inputTokens, outputTokens, totalTokens } from '../usage/usage.ts';

/** What amounts come to in a unit. A call whose price is unknown is 0 USD; `concurrency` is one while it runs. */
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

/** What limits count for an ended call in a unit: nothing where it was not sent, nor once it has ended in `concurrency`. */
export function countedIn(unit: LimitUnit, end: Pick<CountedCall, 'outcome' | 'counted'>): number {
  return end.outcome === 'not_sent' || unit === 'concurrency' ? 0 : amountIn(unit, end.counted);
}

/** The part of `countedIn` that the provider may not have charged. */
export function uncertainIn(unit: LimitUnit, end: CountedCall): number {
  if (!isUncertain(end) || end.outcome === 'not_sent') return 0;
  const tokens = end.usage ? totalTokens(end.usage) : {};
  const believed = { usd: end.cost, inputTokens: inputTokens(tokens), outputTokens: outputTokens(tokens) };
  return Math.max(0, countedIn(unit, end) - amountIn(unit, believed));
}
