import { isolated } from '../../shared/format/isolated.ts';
import type { ReconciledOrganization } from './queries.ts';

export type ReasonName = keyof ReconciledOrganization['reasons'];

/** What each means, and what to do, in the order in which they are shown. */
export const REASON_ADVICE: Readonly<Record<ReasonName, string>> = {
  outside_gateway: 'Used directly. Give its users a wrapped key, and replace the provider key.',
  uncertain_calls:
    'Corrected by itself when a day is closed, after two days, and its report was read. Where something speaks against it, say what the calls cost on their pages.',
  price_drift: 'The same use at another price. Correct yours under Prices.',
  no_price:
    'The book had no price for these calls through the gate. Set it under Prices, or with: tollbook prices set.',
  batch: 'They can’t pass the gate, or cost other than it was told.',
  fees: 'Charged without use that the provider reports. Nothing to do.',
  unknown_key: 'Keys that look alike, or were erased. Use one provider key for each wrapped key.',
  settling: 'The provider still changes these days. Wait two days.',
  rounding: 'At most half a nano-dollar for each call. Nothing to do.',
  unexplained: 'No reason was found. Look at the lines below.',
};

/** Reasons with an amount, the largest first; what is unexplained is always said, and last. */
export function shownReasons(reasons: ReconciledOrganization['reasons']): readonly (readonly [ReasonName, number])[] {
  const names = Object.keys(REASON_ADVICE).filter((name): name is ReasonName => name in reasons);
  const told = names.filter((name) => name !== 'unexplained' && reasons[name] !== 0);
  const sorted = told.toSorted((a, b) => Math.abs(reasons[b]) - Math.abs(reasons[a]));
  return [...sorted, 'unexplained' as const].map((name) => [name, reasons[name]]);
}

const SHOWN_MAX = 3;

/** By which wrapped keys the gate knows a provider's key; empty = by none of this workspace. */
export function wrappedText(key: ReconciledOrganization['lines'][number]['key']): string {
  const names = key?.wrapped ?? [];
  const more = names.length - SHOWN_MAX;
  if (names.length === 0) return '';
  return `wrapped as ${names.slice(0, SHOWN_MAX).map(isolated).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
