import { LIMITS } from '../config.ts';
import type { Clock } from '../lib/clock.ts';
import { openLogFile } from './log-file.ts';
import { TurnJournal } from './turn-journal.ts';

export interface JournalLimits {
  readonly openCallsMax: number;
  readonly segmentBytes: number;
  readonly keepMs: number;
  readonly keepBytesMax: number;
  readonly bytesMax: number;
  readonly roomBytes: number;
}

export interface JournalOptions {
  readonly folder: string;
  /** `normal` survives the death of the process, `full` also loss of power. */
  readonly sync: 'normal' | 'full';
  readonly clock: Clock;
  readonly onProblem: (problem: string | null) => void;
  /** See `TurnJournalOptions`. */
  readonly onLostRefusals?: (calls: number) => void;
  /** Each defaults to its value in `LIMITS`. */
  readonly limits?: Partial<JournalLimits>;
}

const DEFAULTS: JournalLimits = {
  openCallsMax: LIMITS.callsInFlightMax,
  segmentBytes: LIMITS.journalSegmentBytes,
  keepMs: LIMITS.journalKeepMs,
  keepBytesMax: LIMITS.journalKeepBytesMax,
  bytesMax: LIMITS.journalBytesMax,
  roomBytes: LIMITS.journalRoomBytes,
};

/**
 * Opens or creates the journal. Throws a `TollbookError` (`unavailable`) that says what to do if it can't be read; if
 * it can't be written, it opens with a `problem`. Before the first call, call `shipped(mark)`, then `recover`.
 */
export function openJournal({ folder, sync, clock, limits, ...callbacks }: JournalOptions): TurnJournal {
  const { openCallsMax, ...fileLimits } = { ...DEFAULTS, ...limits };
  return new TurnJournal(openLogFile({ folder, sync, clock, ...fileLimits }), { openCallsMax, ...callbacks });
}
