/** A call that a limit refused: it was not sent, cost nothing and is in no book. */
export interface RefusedCall {
  /** Epoch ms. */
  readonly at: number;
  readonly callId: string;
  readonly keyId: string;
  readonly provider: string;
  /** Where the limit counts each value of a tag: which one. null = it doesn't. */
  readonly value: string | null;
  /** As in the header `x-svc-limit-reason`. */
  readonly reason: string;
  /** What it might have come to, and what was left, as shown in the unit of the limit; null = that is not the reason. */
  readonly need: number | null;
  readonly left: number | null;
}
