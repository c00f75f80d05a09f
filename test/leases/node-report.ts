/** What a process of a node says of itself, since it began. */
export interface NodeReport {
  /** Admitted calls. */
  calls: number;
  waited: number;
  /** Calls that waited in vain although something was left. */
  gaveUp: number;
  exchanges: number;
  /** Nothing is left. */
  isSpent: boolean;
}
