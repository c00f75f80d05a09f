import type { Scheduler } from '../lib/clock.ts';
import type { JournalNotes } from './records/journal.ts';

/** Proof that this process alone uses a database, from before it opens the database until after it closed it. */
export interface DatabaseOwner {
  /** Reads what is known of the journal before anything is opened, so that a missing one is not created again. */
  journalNotes(place: string): Promise<JournalNotes>;
  release(): Promise<void>;
}

export interface OwnerOptions {
  /** Time for the server to answer; 0 = one attempt. */
  readonly waitMsMax: number;
  /** Called with the reason before each further attempt. */
  readonly onWait: (reason: string) => void;
  /** Called with a sentence once another process owns the database, which this one must then leave alone. */
  readonly onLost: (sentence: string) => void;
  /** Ends the wait for the server. Default: nothing does. */
  readonly signal?: AbortSignal;
  /** Default: the system's timers. */
  readonly scheduler?: Scheduler;
}
