import type { LimitUnit } from '../limits/limit.ts';
import type { RefusalReason } from '../limits/refusal.ts';
import type { CallContext } from './call-context.ts';
import type { Entry } from './call.ts';

/** A call that a limit refused, or several of one minute as a sum. They were not sent and cost nothing. */
export interface RefusedCall {
  /** Epoch ms; the start of the minute of a sum. */
  readonly at: number;
  /** ID of the call; a sum has its own, above those of its earlier parts. */
  readonly callId: string;
  /** Calls of one minute with the same key, limit and reason, above the rate up to which each has its own record. */
  readonly isSum: boolean;
  /** Number of calls. */
  readonly calls: number;
  readonly workspaceId: string;
  readonly keyId: string;
  readonly provider: string;
  /** Requested model; null = a sum. */
  readonly model: string | null;
  readonly limitId: string;
  /** Tag value, if the limit counts each value; null = it does not, or a sum. */
  readonly value: string | null;
  readonly unit: LimitUnit;
  readonly reason: RefusalReason;
  /** Cost bound of the call in the limit's unit, usd in nano-USD; null = unknown, or a sum. */
  readonly needed: number | null;
  /** Amount that was left, in the same unit; null = a sum. */
  readonly left: number | null;
  readonly tags: Readonly<Record<string, string>>;
  readonly sessionHash: string | null;
  readonly context: CallContext;
}

/** A call of the journal that is over: it ended, or it was refused. */
export type FinishedCall = Entry | RefusedCall;

export function isRefused(call: FinishedCall): call is RefusedCall {
  return 'limitId' in call;
}
