import { NO_PLACE, type SlotItem } from '../lib/concurrency/slots.ts';
import type { CommitCallback, JournaledCall } from './journal.ts';

/** `slot` of a call whose begin is not written. */
export const NO_SLOT = -1;

/** A call that has begun and whose end is not durable yet. One object per call carries it through the journal. */
export interface OpenCall extends JournaledCall, SlotItem {
  /** Encoded `CallBegin`. */
  readonly begin: string;
  /** Encoded early usage; null = none was seen. */
  note: string | null;
  /** Encoded `CallEnd`; null = the call is under way. */
  end: string | null;
  /** Its place among the calls that are open in the file, or `NO_SLOT`. Belongs to the file. */
  slot: number;
  /** Waits for the commit of this turn. */
  touched: boolean;
  onBegun: CommitCallback | null;
  onEnded: CommitCallback | null;
}

export function openCall(callId: string, begin: string, note: string | null, onBegun: CommitCallback | null): OpenCall {
  return { callId, place: NO_PLACE, begin, note, end: null, slot: NO_SLOT, touched: false, onBegun, onEnded: null };
}

/** Where a journal's calls are kept. Every method does all or nothing and throws when it can't. */
export interface CallFile {
  readonly journalId: string;
  /** Last `end_seq` that is committed. */
  readonly endSeq: number;
  /** The last process did not close the file and may have lost its latest commits. */
  readonly gap: boolean;
  /** Writes each call's present state in one transaction; ended calls get the next `end_seq`, in order. */
  write(calls: readonly OpenCall[]): void;
  /** A small durable write that changes nothing, to learn whether the file can be written. */
  probe(): void;
  /** Hands out the calls that an earlier process left without an end, once. */
  takeOrphans(): OpenCall[];
  /** The store knows ends up to `mark`: no later end may reuse a number at or below it. Says whether it had to skip. */
  advance(mark: number): boolean;
  /** Deletes old turns, none with an end above `mark`, a bounded number; says whether more wait. */
  prune(mark: number): boolean;
  /** What a failure means and what to do about it, as a sentence. */
  explain(error: unknown): string;
  close(): void;
}
