import type { AlertSeverity } from '../alerts/alert.ts';
import type { SeriesScope } from './series.ts';

export const FINDING_TYPES = ['COST_SPIKE', 'UNUSUAL_ACTIVITY', 'ERROR_SPIKE'] as const;
export type FindingType = (typeof FINDING_TYPES)[number];

/**
 * - COST_SPIKE: `cost` (1 or 6 hours)
 * - UNUSUAL_ACTIVITY: `volume` (calls), `model_shift` (more expensive per token), `newcomer` (new, with real spend), `drop` (spend
 *   of 1 or 6 hours below the usual)
 * - ERROR_SPIKE: `errors`
 */
export const FINDING_KINDS = ['cost', 'volume', 'model_shift', 'newcomer', 'drop', 'errors'] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];

/**
 * Unit of `observed`, `expected` and `threshold`: nano-USD, calls, a share of calls, nano-USD per million tokens, hours.
 */
export type FindingUnit = 'usd' | 'calls' | 'share' | 'usd_per_million_tokens' | 'hours';

/** Reference of a comparison. */
type ComparisonBasis = 'hour_of_day' | 'days' | 'nothing';

/** A part of the series that moved it. */
export interface FindingMover {
  readonly scope: SeriesScope;
  readonly name: string;
  /** In the finding's unit (`usd`, or failed calls for `errors`), over the finding's hours. */
  readonly observed: number;
  readonly expected: number;
  /** Share of the whole excess, 0 to 1. */
  readonly share: number;
  /** It was not there before. */
  readonly isNew: boolean;
}

export interface Finding {
  readonly type: FindingType;
  readonly kind: FindingKind;
  readonly severity: AlertSeverity;
  readonly scope: SeriesScope;
  readonly name: string;
  /** Start of the hour that was judged, epoch ms. */
  readonly at: number;
  /** The hours it speaks of: epoch ms, from the start of the first to the end of the last. */
  readonly from: number;
  readonly to: number;
  readonly unit: FindingUnit;
  readonly observed: number;
  readonly expected: number;
  /** Largest value that would have been normal. */
  readonly threshold: number;
  /** observed / expected; null = nothing was expected. */
  readonly factor: number | null;
  /** Nano-USD above the usual; 0 where it isn't about money. */
  readonly excessNano: number;
  readonly basis: ComparisonBasis;
  /** Number of hours or days in the comparison. */
  readonly comparable: number;
  /** Distance beyond the threshold; 1 = at the threshold. Orders findings. */
  readonly strength: number;
  /** One or two sentences for people. */
  readonly text: string;
  /** Largest share first, at most five. */
  readonly movers: readonly FindingMover[];
  /** Other kinds found for the same scope, reported with this one. */
  readonly also: readonly FindingKind[];
  /** `scopeKey` of the series whose own findings are part of this one. */
  readonly covers: readonly string[];
}

type VerdictName = 'finding' | 'calm' | 'not_enough_history';

export interface SeriesVerdict {
  readonly scope: SeriesScope;
  readonly name: string;
  readonly verdict: VerdictName;
  /** Hours since the series began, and how many it takes to judge it. */
  readonly hours: number;
  readonly hoursNeeded: number;
}
