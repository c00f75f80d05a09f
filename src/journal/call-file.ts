import { NO_PLACE, type SlotItem } from '../lib/concurrency/slots.ts';
import type { CommitCallback, JournaledCall } from './journal.ts';

/** `slot` of a call whose begin is not written. */
export const NO_SLOT = -1;

/** A call that has begun and whose end is not durable yet. One object carries each call through the journal. */
export interface OpenCall extends JournaledCall, SlotItem {
  /** Encoded `CallBegin`. */
  readonly begin: string;
  /** Encoded early usage; null = none. */
  note: string | null;
  /** Encoded `CallEnd`; null = the call has not ended. */
  end: string | null;
  /** Its index among the open calls of the file, or `NO_SLOT`. Owned by the file. */
  slot: number;
  /** True while the call waits for the commit of this turn. */
  touched: boolean;
  onBegun: CommitCallback | null;
  onEnded: CommitCallback | null;
}

export function openCall(callId: string, begin: string, note: string | null, onBegun: CommitCallback | null): OpenCall {
  return { callId, place: NO_PLACE, begin, note, end: null, slot: NO_SLOT, touched: false, onBegun, onEnded: null };
}

/** Storage of a journal's calls. Every method does all or nothing and throws when it can't. */
export interface CallFile {
  readonly journalId: string;
  /** Last `end_seq` that is committed. */
  readonly endSeq: number;
  /** True if the last process did not close the file and may have lost its latest commits. */
  readonly gap: boolean;
  /**
   * Writes each call's current state, and refused calls, in one transaction. Ended calls get the next `end_seq`, in
   * order, and after them the refused ones (as encoded).
   */
  write(calls: readonly OpenCall[], refused: readonly string[]): void;
  /** Makes a small durable write that changes nothing, to learn whether the file is writable. */
  probe(): void;
  /** Returns, once, the calls that an earlier process left without an end. */
  takeOrphans(): OpenCall[];
  /** Skips numbers up to `mark`, which the ledger already has. Returns whether it had to skip any. */
  advance(mark: number): boolean;
  /** Deletes a bounded number of old turns, none with an end above `mark`. Returns whether more remain. */
  prune(mark: number): boolean;
  /** Explains an error and what to do about it, in one sentence. */
  explain(error: unknown): string;
  close(): void;
}
