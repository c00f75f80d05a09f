import type { CounterPlace } from '../domain/limits/limit.ts';
import type { LeaseAnswer, LeaseRefusal, LeaseRequest } from '../leases/exchange.ts';
import type { LeaseRegistration } from '../leases/node-leases.ts';
import type { HeldStatement } from '../storage/node-amounts.ts';

/** Leases where several nodes share limits. The gateway asks, and the ledger thread passes it on to the database. */
export type LeaseMessageToLedger =
  | LeaseQuestion
  /** Answered by `counters-totaled`, if the database answers. */
  | { readonly type: 'ask-totals'; readonly places: readonly CounterPlace[] }
  /** The ledger may have lost calls that it had: its mark must be read again. */
  | { readonly type: 'mark-lost' };

/** Answered with the same question: by the answer of its name, or by `answer-failed`. */
export type LeaseQuestion =
  | { readonly type: 'ask-registration'; readonly question: number; readonly epoch: number }
  | { readonly type: 'ask-exchange'; readonly question: number; readonly request: LeaseRequest }
  | { readonly type: 'ask-leave'; readonly question: number; readonly epoch: number }
  /** Answered once the changes of limits that it numbers were sent. */
  | { readonly type: 'ask-changes'; readonly question: number }
  /** Answered by `answer-held`, once other nodes can read it. */
  | {
      readonly type: 'note-held';
      readonly question: number;
      readonly epoch: number;
      readonly statement: HeldStatement;
    };

export type LeaseAnswerMessage =
  | {
      readonly type: 'answer-registration';
      readonly question: number;
      readonly registration: LeaseRegistration;
    }
  | { readonly type: 'answer-exchange'; readonly question: number; readonly answer: LeaseAnswer | LeaseRefusal }
  | { readonly type: 'answer-leave'; readonly question: number }
  | { readonly type: 'answer-held'; readonly question: number }
  | { readonly type: 'answer-failed'; readonly question: number; readonly reason: string };

export type LeaseMessageToGateway =
  | LeaseAnswerMessage
  /** Other nodes need what this one has of these counters. */
  | { readonly type: 'counters-recalled'; readonly places: readonly CounterPlace[] };

/** Start of a gateway that shares limits with other nodes. */
export interface LeaseStart {
  /** Id of this node. */
  readonly node: string;
  /** The database's time. */
  readonly time: number;
}
