import type { TokenClass, UseClass } from './usage.ts';

/**
 * What amounts of use tell. Of a call of which all is known what it used; of any other what it may have used at most, and
 * beside that, without a call or cost of its own, what the book believes meanwhile:
 * - `noted`     what the provider told before the answer broke off: that much was used
 * - `estimated` what was delivered, by its length
 */
export const TOLD = ['at_most', 'used', 'noted', 'estimated'] as const;
export type Told = (typeof TOLD)[number];

/** On what terms calls through the gate were answered and priced. */
export interface GateTerms {
  readonly provider: string;
  /** Words of record shares; '' = ordinary. */
  readonly tier: string;
  readonly geo: string;
  readonly speed: string;
  /** The step of prompt lengths that the prompts are above; 0 = none. */
  readonly step: number;
  /** Of the price that their cost stands on; null = none: what is believed of them is in no cost. */
  readonly priceVersion: string | null;
  readonly tells: Told;
}

/** What calls through the gate used of one model on the same terms. Classes are those of reports. */
export interface GateUse {
  /** The model of the pass. */
  readonly model: string | null;
  /** Of the calls, where that is another one: their cost is its. */
  readonly callModel: string | null;
  readonly terms: GateTerms;
  readonly amounts: Partial<Record<TokenClass | UseClass, number>>;
  readonly calls: number;
  readonly failedCalls: number;
  /** nano-USD, as the book believes. */
  readonly cost: bigint;
  /** nano-USD that unsure calls may have cost beyond. */
  readonly uncertainUpTo: bigint;
}

/** Of calls of which not all is known: beside their bounds. */
export function isBelieved({ tells }: Pick<GateTerms, 'tells'>): boolean {
  return tells === 'noted' || tells === 'estimated';
}
