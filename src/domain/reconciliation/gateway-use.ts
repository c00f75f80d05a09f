import { formatProvenance, type CostProvenance } from '../pricing/provenance.ts';
import type { TokenClass, UseClass } from '../usage/usage.ts';

/**
 * What amounts of use tell. Of a call of which all is known what it used; of any other what it may have used at most, and
 * beside that, without a call or cost of its own, what the book believes meanwhile:
 * - `noted`     what the provider told before the answer broke off: that much was used
 * - `estimated` what was delivered, by its length
 */
export const USAGE_CERTAINTIES = ['at_most', 'used', 'noted', 'estimated'] as const;
export type UsageCertainty = (typeof USAGE_CERTAINTIES)[number];

/** Where a cost comes from, as far as the workspace that looks may know. */
export type SeenProvenance = CostProvenance | HiddenPrice;

/** Another workspace's own price. */
interface HiddenPrice {
  readonly from: 'hidden';
  /** The provider's report said what was used. */
  readonly isReported: boolean;
}

/** On what terms calls through the gate were answered and priced. */
export interface GatewayTerms<From extends SeenProvenance = CostProvenance> {
  readonly provider: string;
  /** Words of record shares; '' = ordinary. */
  readonly tier: string;
  readonly geo: string;
  readonly speed: string;
  /** The step of prompt lengths that the prompts are above; 0 = none. */
  readonly step: number;
  /** Where their cost comes from; null = what is believed of them is in no cost. */
  readonly provenance: From | null;
  readonly tells: UsageCertainty;
}

/** What calls through the gate used of one model on the same terms. Classes are those of reports. */
export interface GatewayUse<From extends SeenProvenance = CostProvenance> {
  /** The model of the pass. */
  readonly model: string | null;
  /** Of the calls, where that is another one: their cost is its. */
  readonly callModel: string | null;
  readonly terms: GatewayTerms<From>;
  readonly amounts: Partial<Record<TokenClass | UseClass, number>>;
  readonly calls: number;
  readonly failedCalls: number;
  /** nano-USD, as the book believes. */
  readonly cost: bigint;
  /** nano-USD that unsure calls may have cost beyond. */
  readonly uncertainUpTo: bigint;
}

/** Of calls of which not all is known: beside their bounds. */
export function isPartialUse({ tells }: Pick<GatewayTerms, 'tells'>): boolean {
  return tells === 'noted' || tells === 'estimated';
}

/** The provider's report has corrected these calls. */
export function isReported(provenance: SeenProvenance | null): boolean {
  return provenance?.from === 'report' || (provenance?.from === 'hidden' && provenance.isReported);
}

/** Names a provenance for people and for finding what has the same. */
export function provenanceName(provenance: SeenProvenance): string {
  if (provenance.from !== 'hidden') return formatProvenance(provenance);
  return provenance.isReported ? 'report, price of another workspace' : 'price of another workspace';
}
