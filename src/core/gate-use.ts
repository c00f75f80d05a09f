import type { TokenClass, UseClass } from './usage.ts';

/** On what terms calls through the gate were answered and priced. */
export interface GateTerms {
  readonly provider: string;
  /** Words of record shares; '' = ordinary. */
  readonly tier: string;
  readonly geo: string;
  readonly speed: string;
  /** The step of prompt lengths that the prompts are above; 0 = none. */
  readonly step: number;
  /** Of the price that their cost stands on; null = none. */
  readonly priceVersion: string | null;
  /** False = nobody knows what they used: the amounts are what it may have been at most. */
  readonly isSure: boolean;
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
