/** Recorded calls that a price or contract would price again; costs in nano-USD. */
export interface RepricedSum {
  readonly calls: number;
  /** Those without a cost. */
  readonly unpricedCalls: number;
  readonly costBefore: bigint;
  readonly costAfter: bigint;
  /** Start of the first of them, epoch ms; null = none. */
  readonly from: number | null;
  /** false = there are more calls than were read. */
  readonly isComplete: boolean;
}
