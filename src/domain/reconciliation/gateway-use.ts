import { formatProvenance, type CostProvenance } from '../pricing/provenance.ts';
import type { TokenClass, UseClass } from '../usage/usage.ts';

/**
 * Certainty of usage. Calls of known usage have one row of `used`. Others have one of `at_most`, and rows without calls
 * or cost for their effective usage:
 * - `noted` usage that the provider reported before the answer broke off
 * - `estimated` estimate from the delivered text
 */
export const USAGE_CERTAINTIES = ['at_most', 'used', 'noted', 'estimated'] as const;
export type UsageCertainty = (typeof USAGE_CERTAINTIES)[number];

/** Source of a cost, as far as the current workspace may see it. */
export type SeenProvenance = CostProvenance | HiddenPrice;

/** Another workspace's own price. */
interface HiddenPrice {
  readonly from: 'hidden';
  /** The provider's report said what was used. */
  readonly isReported: boolean;
}

/** Terms on which calls through the gateway were answered and priced. */
export interface GatewayTerms<From extends SeenProvenance = CostProvenance> {
  readonly provider: string;
  /** Words of record shares; '' = ordinary. */
  readonly tier: string;
  readonly geo: string;
  readonly speed: string;
  /** The step of prompt lengths that the prompts are above; 0 = none. */
  readonly step: number;
  /** Source of the cost; null = effective usage without cost. */
  readonly provenance: From | null;
  readonly certainty: UsageCertainty;
}

/** Usage through the gateway of one model on the same terms, in classes of provider reports. */
export interface GatewayUse<From extends SeenProvenance = CostProvenance> {
  /** The model of the pass. */
  readonly model: string | null;
  /** Model of the call, if it differs from the pass; the cost belongs to it. */
  readonly callModel: string | null;
  readonly terms: GatewayTerms<From>;
  readonly amounts: Partial<Record<TokenClass | UseClass, number>>;
  readonly calls: number;
  readonly failedCalls: number;
  /** Effective cost in the ledger, nano-USD. */
  readonly cost: bigint;
  /** nano-USD that uncertain calls may have cost in addition. */
  readonly uncertainUpTo: bigint;
}

/** Tests for effective usage of uncertain calls. */
export function isPartialUse({ certainty }: Pick<GatewayTerms, 'certainty'>): boolean {
  return certainty === 'noted' || certainty === 'estimated';
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
