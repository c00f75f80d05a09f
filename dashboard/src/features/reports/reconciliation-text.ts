import { isolated } from '../../shared/format/isolated.ts';
import type { ReconciledOrganization } from './queries.ts';

export type ReasonName = keyof ReconciledOrganization['reasons'];

/** Meaning and advice for each reason, in display order. */
export const REASON_ADVICE: Readonly<Record<ReasonName, string>> = {
  outside_gateway: 'Calls went directly to the provider. Give these users a wrapped key and replace the provider key.',
  uncertain_calls:
    'Corrected automatically after two days, when the report is final. If not, set the actual cost on the page of each call.',
  price_drift: 'Same usage at a different price. Correct it under Prices.',
  no_price: 'These calls had no price. Set one under Prices.',
  batch: 'Batch requests don’t go through the gateway, or cost less than reported.',
  fees: 'Charged without reported usage. No action needed.',
  unknown_key:
    'Usage of deleted keys, or of keys that the report cannot distinguish. Use one provider key per wrapped key.',
  not_final: 'The provider may still change these days. Wait two days.',
  rounding: 'At most half a nano-dollar per call. No action needed.',
  unexplained: 'No reason found. Check the lines below.',
};

/** Returns reasons with an amount, largest first; `unexplained` is always included, last. */
export function shownReasons(reasons: ReconciledOrganization['reasons']): readonly (readonly [ReasonName, number])[] {
  const names = Object.keys(REASON_ADVICE).filter((name): name is ReasonName => name in reasons);
  const shown = names.filter((name) => name !== 'unexplained' && reasons[name] !== 0);
  const sorted = shown.toSorted((a, b) => Math.abs(reasons[b]) - Math.abs(reasons[a]));
  return [...sorted, 'unexplained' as const].map((name) => [name, reasons[name]]);
}

const SHOWN_MAX = 3;

/** Lists the wrapped keys of a provider key; '' = none in this workspace. */
export function wrappedText(key: ReconciledOrganization['lines'][number]['key']): string {
  const names = key?.wrapped ?? [];
  const more = names.length - SHOWN_MAX;
  if (names.length === 0) return '';
  return `wrapped as ${names.slice(0, SHOWN_MAX).map(isolated).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
