import type { CallBegin, CallEnd } from '../domain/usage/call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import type { TollbookError } from '../domain/errors.ts';

/** Told in the turn of the commit; `error` = it was not written. */
export type CommitCallback = (error: Error | null) => void;

/** A call that was handed to the journal; what it is made of is the journal's own business. */
export interface JournaledCall {
  readonly callId: string;
}

/**
 * The durable local record of calls, written only by the gate thread. All writes of one event-loop turn share one
 * transaction; `committed` runs after it.
 */
export interface Journal {
  /** Random, made with the journal file; marks in the store name it. */
  readonly journalId: string;
  /** Every call id is used once. */
  begin(call: CallBegin, committed: CommitCallback): JournaledCall;
  /** Usage seen early in a stream; goes with the next commit, nobody waits for it. */
  note(call: JournaledCall, usage: Usage): void;
  end(call: JournaledCall, end: CallEnd, committed: CommitCallback): void;
  /** Last `end_seq` that is committed. */
  readonly endSeq: number;
  /** null = healthy; else a sentence: what is wrong and what to do. */
  readonly problem: string | null;
  /** The store durably has everything up to this `end_seq`; called with a mark read back from the store. */
  shipped(mark: number): void;
  close(): void;
}

/** Stands in for a journal that can't be opened: every call is refused with the reason, reports stay readable. */
export function refusingJournal(reason: TollbookError): Journal {
  return {
    journalId: '',
    endSeq: 0,
    problem: reason.message,
    begin(call, committed) {
      setImmediate(committed, reason);
      return call;
    },
    note: () => {},
    end: (_call, _end, committed) => void setImmediate(committed, reason),
    shipped: () => {},
    close: () => {},
  };
}
