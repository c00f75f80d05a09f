import type { CounterMove, CounterState, Limit, CounterStatus } from '../domain/limits/limit.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { ModelOverrun, OverrunSubject } from '../limits/overruns.ts';

/** What the gate's ledger needs before the gate opens; part of the `Snapshot`. */
export interface LimitSnapshot {
  readonly limits: readonly Limit[];
  /** Counters of windows that may still be open, with everything that the journal had. */
  readonly counters: readonly CounterState[];
  /** Newest instant that a call in the store began at (epoch ms); 0 = there is none. */
  readonly newestCallAt: number;
  /** Models that were charged for more than their bound, as long as nobody has acknowledged it. */
  readonly overruns: readonly ModelOverrun[];
}

/** Book thread → gate thread. */
export type LimitMessageToGateway =
  /** A limit is new or has changed. */
  | { readonly type: 'limit'; readonly limit: Limit }
  | { readonly type: 'limit-removed'; readonly id: string }
  /** Answer to `limit-installed`: what its counters held up to that end. */
  | { readonly type: 'limit-past'; readonly counter: number; readonly counters: readonly CounterState[] }
  | { readonly type: 'counters-moved'; readonly moves: readonly CounterMove[] }
  /** Somebody has read that calls to a model came to more than their bound. */
  | { readonly type: 'overrun-acknowledged'; readonly model: OverrunSubject }
  /** Answered by `heard` with the same question, once everything told before is in force. */
  | { readonly type: 'ask-heard'; readonly question: number }
  /** Answered by `limits` with the same question. */
  | { readonly type: 'ask-limits'; readonly question: number; readonly limits: readonly string[] }
  /** Answered by `refusals` with the same question. */
  | { readonly type: 'ask-refusals'; readonly question: number; readonly limit: string };

/** Gate thread → book thread. */
export type LimitMessageToLedger =
  /** From here on the ledger counts this counter: the calls up to `endSeq`, and only they, don't name it. */
  | {
      readonly type: 'limit-installed';
      readonly counter: number;
      readonly endSeq: number;
      /** The window that is open now, half-open. */
      readonly start: number;
      readonly end: number;
    }
  | { readonly type: 'heard'; readonly question: number }
  /** How the counters of the limits asked for stand. */
  | { readonly type: 'limits'; readonly question: number; readonly standings: readonly CounterStatus[] }
  /** Whom the limit asked for refused lately, the newest first. */
  | { readonly type: 'refusals'; readonly question: number; readonly calls: readonly RefusedCall[] };
