import type { CallBegin, CallEnd } from '../domain/usage/call.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import type { TollbookError } from '../domain/errors.ts';

/** Runs in the turn of the commit; `error` = nothing was written. */
export type CommitCallback = (error: Error | null) => void;

/** A call in the journal. Its content is private to the journal. */
export interface JournaledCall {
  readonly callId: string;
}

/**
 * The durable local record of calls, written only by the gateway's thread. All writes of one event-loop turn share
 * one transaction; `committed` runs after it.
 */
export interface Journal {
  /** Random id, created with the journal. Marks in the ledger name it. */
  readonly journalId: string;
  /** Writes the begin of a call. Every call id is used once. */
  begin(call: CallBegin, committed: CommitCallback): JournaledCall;
  /** Notes usage seen early in a stream. It is written with the next commit, without a callback. */
  note(call: JournaledCall, usage: Usage): void;
  end(call: JournaledCall, end: CallEnd, committed: CommitCallback): void;
  /**
   * Writes a refused call with the next commit. `done` runs after that, also if the file could not be written; the call
   * then waits like an end, up to a maximum.
   */
  refuse(call: RefusedCall, done: () => void): void;
  /** Refused calls since the start that will never be written: too many waited while the file could not be written. */
  readonly lostRefusals: number;
  /** Last `end_seq` that is committed. */
  readonly endSeq: number;
  /** Sentence that says what is wrong and what to do; null = healthy. */
  readonly problem: string | null;
  /** Notes that the ledger durably has everything up to this `end_seq`. The mark must come from the ledger. */
  shipped(mark: number): void;
  close(): void;
}

/**
 * Returns a substitute for a journal that can't be opened. It refuses every call with the reason; the ledger can
 * still be read.
 */
export function refusingJournal(reason: TollbookError, onLostRefusals: (calls: number) => void = () => {}): Journal {
  let lostRefusals = 0;
  return {
    journalId: '',
    endSeq: 0,
    problem: reason.message,
    begin(call, committed) {
      setImmediate(committed, reason);
      return call;
    },
    note: () => {},
    get lostRefusals() {
      return lostRefusals;
    },
    refuse({ calls }, done) {
      lostRefusals += calls;
      onLostRefusals(calls);
      setImmediate(done);
    },
    end: (_call, _end, committed) => void setImmediate(committed, reason),
    shipped: () => {},
    close: () => {},
  };
}
