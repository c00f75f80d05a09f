/**
 * Reasons for which a limit refuses a call:
 * - `in_flight`            it would fit if the open calls were settled
 * - `counter_unavailable`  it fits only if its prompt is short enough, and the provider did not count it
 * - `rate_limited`         the amount of this minute or hour is used
 * - `exceeds_limit`        something is left, and the call needs more
 * - `spent`                nothing is left
 * - `unbounded`            the call has no cost bound
 * - `unpriced_model`       the model has no known price
 */
export const REFUSAL_REASONS = [
  'in_flight',
  'counter_unavailable',
  'rate_limited',
  'exceeds_limit',
  'spent',
  'unbounded',
  'unpriced_model',
] as const;
export type RefusalReason = (typeof REFUSAL_REASONS)[number];

/** Reports whether the same call may pass in a few seconds by itself. */
export function isMomentary(reason: RefusalReason): boolean {
  return reason === 'in_flight' || reason === 'counter_unavailable';
}
