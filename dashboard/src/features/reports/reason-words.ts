import type { Organization } from './use-reconciliation.ts';

export type ReasonName = keyof Organization['reasons'];

interface Words {
  readonly name: string;
  /** What it means, and what to do. */
  readonly advice: string;
}

/** Every reason that a difference can have, in the order in which they are shown. */
export const REASON_WORDS: Readonly<Record<ReasonName, Words>> = {
  not_through_the_gate: {
    name: 'Not through the gate',
    advice: 'Used directly. Give its users a wrapped key, and replace the provider key.',
  },
  uncertain_calls: {
    name: 'Lost answers',
    advice:
      'Corrected by itself when a day is closed, after two days, and its report was read; but not of a key that was wrapped on that very day, or that is used beside the gate too. Of those, say what the calls cost on their pages.',
  },
  price_drift: { name: 'Another price', advice: 'The same use at another price. Correct yours under Prices.' },
  no_price: {
    name: 'No price',
    advice:
      'The book had no price for these calls through the gate. Set it under Prices, or with: tollbook prices set.',
  },
  batch: {
    name: 'Batches and tiers',
    advice: 'They can’t pass the gate, or cost other than it was told.',
  },
  fees: { name: 'Fees', advice: 'Charged without use that the provider reports. Nothing to do.' },
  key_unknown: {
    name: 'Key unknown',
    advice: 'Keys that look alike, or were erased. Use one provider key for each wrapped key.',
  },
  settling: { name: 'Still settling', advice: 'The provider still changes these days. Wait two days.' },
  rounding: { name: 'Rounding', advice: 'At most half a nano-dollar for each call. Nothing to do.' },
  unexplained: { name: 'Unexplained', advice: 'No reason was found. Look at the lines below.' },
};

/** Reasons with an amount, the largest first; what is unexplained is always said, and last. */
export function shownReasons(reasons: Organization['reasons']): readonly (readonly [ReasonName, number])[] {
  const names = Object.keys(REASON_WORDS).filter((name): name is ReasonName => name in reasons);
  const told = names.filter((name) => name !== 'unexplained' && reasons[name] !== 0);
  const sorted = told.toSorted((a, b) => Math.abs(reasons[b]) - Math.abs(reasons[a]));
  return [...sorted, 'unexplained' as const].map((name) => [name, reasons[name]]);
}
