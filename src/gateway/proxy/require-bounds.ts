import type { CallBounds } from '../../domain/limits/cost-bound.ts';
import type { LimitUnit } from '../../domain/limits/limit.ts';
import type { LimitCounter } from '../../limits/counter.ts';
import { unboundedError, unpricedBatchError, unpricedError, unpricedTermsError } from '../../limits/refusal-errors.ts';
import type { AskedModel, InferenceRequest } from './proxy-request.ts';

export const MONEY: readonly LimitUnit[] = ['usd'];
const TOKENS: readonly LimitUnit[] = ['tokens', 'input_tokens', 'output_tokens'];
/** Units for which a call needs a bound. */
export const BOUNDED: readonly LimitUnit[] = [...MONEY, ...TOKENS];

/** Reports whether a counter's limit blocks calls by one of these units. */
export function blocksBy({ limit }: LimitCounter, units: readonly LimitUnit[]): boolean {
  return limit.action === 'block' && units.includes(limit.unit);
}

/** Throws the refusal of a call without a bound or a price where a blocking limit needs one. */
export function requireBounds(
  { key, facts, provider }: InferenceRequest,
  models: readonly AskedModel[],
  bounds: CallBounds,
  counters: readonly LimitCounter[],
  now: number,
): void {
  const money = counters.find((counter) => blocksBy(counter, MONEY));
  const bounding = money ?? counters.find((counter) => blocksBy(counter, TOKENS));
  if (bounds.unbounded !== null && bounding && key.policy.assumedCostUsd === null)
    throw unboundedError(bounds.unbounded, bounding.standing(now), key);
  if (!money || bounds.hold.usd !== null || key.policy.unpricedModels === 'allow') return;
  const unlisted = models.find(({ cards }) => cards.length === 0);
  if (!unlisted && facts.batch) throw unpricedBatchError(facts.model, provider.priceProvider, money.standing(now), key);
  throw unlisted
    ? unpricedError(unlisted.model, provider.priceProvider, money.standing(now), key)
    : unpricedTermsError(facts.model, money.standing(now), key);
}
