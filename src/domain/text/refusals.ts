import type { RefusalReason } from '../limits/refusal.ts';

/** Texts of the reasons, on screen. */
export const REFUSAL_REASON_TEXTS: Readonly<Record<RefusalReason, string>> = {
  in_flight: 'Running calls had reserved the rest',
  counter_unavailable: 'The prompt could not be counted',
  rate_limited: 'The limit of this minute or hour was used up',
  exceeds_limit: 'Needed more than was left',
  spent: 'Nothing was left',
  unbounded: 'The call had no maximum cost',
  unpriced_model: 'The model has no price',
};

/** Returns the text of a reason; a reason that this version does not know stays as it is. */
export function describeRefusalReason(reason: string): string {
  return (REFUSAL_REASON_TEXTS as Readonly<Record<string, string>>)[reason] ?? reason;
}
