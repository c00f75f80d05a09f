import type { CallBegin, CallEnd } from '../domain/usage/call.ts';
import { TollbookError } from '../domain/errors.ts';
import type { RefusedCall } from '../domain/usage/refused-call.ts';
import type { Usage } from '../domain/usage/usage.ts';
import { type Scheduler, systemScheduler } from '../lib/clock.ts';
import { SlotSet } from '../lib/concurrency/slots.ts';
import { openCall } from './call-file.ts';
import type { CallFile, OpenCall } from './call-file.ts';
import {
  countRefused,
  decodeBegin,
  decodeUsage,
  encodeBegin,
  encodeEnd,
  encodeRefused,
  encodeUsage,
} from './format.ts';
import type { CommitCallback, Journal } from './journal.ts';

/**
 * Wait before the file is tried again after a failure. It doubles up to the maximum, and is reset by the next commit.
 */
const PROBE_MS_MIN = 100;
const PROBE_MS_MAX = 1_000;
/** Delay of deletes after calls were shipped, and between two deletes, so that calls come first. */
const PRUNE_AFTER_MS = 1_000;
const PRUNE_BETWEEN_MS = 10;
/** Refused calls that wait while the file can't be written; further ones are lost, counted and reported. */
const REFUSED_WAITING_MAX = 10_000;

export interface TurnJournalOptions {
  /** Maximum number of open calls; beyond it begins are refused. It bounds everything kept in memory here. */
  readonly openCallsMax: number;
  /** Runs when a problem begins, changes, or is over (null). */
  readonly onProblem: (problem: string | null) => void;
  /** Runs with a number of refused calls that will never be written: the file failed, and too many waited. */
  readonly onLostRefusals?: (calls: number) => void;
  /** Turns of the event loop, and timers. Default: the system's. */
  readonly scheduler?: Scheduler;
}

/** Builds the end of a call that a dead process left open. `early` is the usage noted before, if any. */
export type SettleLost = (begin: CallBegin, early: Usage | null) => CallEnd;

export interface RecoveredCalls {
  /** Number of calls that were ended as `lost`. */
  readonly lost: number;
  /** True if the latest commits before this start may be missing. */
  readonly gap: boolean;
}

/** Counts since the journal was opened. */
export interface JournalStats {
  readonly commits: number;
  /** Written call states: about two per call. */
  readonly rows: number;
  readonly failedCommits: number;
  /** Open calls, and ended calls that wait for the disk. */
  readonly openCalls: number;
  readonly waitingEnds: number;
  /** Ended calls that are not known to be in the ledger yet. */
  readonly lag: number;
}

/**
 * The journal's rules, for any storage: collects a turn, commits it, runs the callbacks, and keeps ends while the
 * file can't be written.
 */
export class TurnJournal implements Journal {
  readonly #file: CallFile;
  readonly #options: TurnJournalOptions;
  readonly #scheduler: Scheduler;
  readonly #open = new SlotSet<OpenCall>();
  /** Calls changed in this turn. */
  #touched: OpenCall[] = [];
  /** Ended calls that could not be written. Each is also an open call, so there are never more than those. */
  #waiting: OpenCall[] = [];
  /** Encoded refused calls of this turn, and earlier ones that the file refused. */
  #refused: string[] = [];
  /** Callbacks of the refused calls of this turn. */
  #onRefused: (() => void)[] = [];
  #waitingRefused: string[] = [];
  #lostRefusals = 0;
  #problem: TollbookError | null = null;
  #probeMs = PROBE_MS_MIN;
  /** Cancel what is scheduled; null = nothing is. */
  #noProbe: (() => void) | null = null;
  #noPrune: (() => void) | null = null;
  #mark = 0;
  #skipped = false;
  #closed = false;
  #commits = 0;
  #rows = 0;
  #failedCommits = 0;

  constructor(file: CallFile, options: TurnJournalOptions) {
    this.#file = file;
    this.#options = options;
    this.#scheduler = options.scheduler ?? systemScheduler;
    this.#attempt(() => file.probe());
  }

  get journalId(): string {
    return this.#file.journalId;
  }

  get endSeq(): number {
    return this.#file.endSeq;
  }

  get problem(): string | null {
    return this.#problem?.message ?? null;
  }

  get lostRefusals(): number {
    return this.#lostRefusals;
  }

  get stats(): JournalStats {
    return {
      commits: this.#commits,
      rows: this.#rows,
      failedCommits: this.#failedCommits,
      openCalls: this.#open.size,
      waitingEnds: this.#waiting.length,
      lag: Math.max(0, this.endSeq - this.#mark),
    };
  }

  begin(call: CallBegin, committed: CommitCallback): OpenCall {
    const open = openCall(call.callId, encodeBegin(call), null, committed);
    const refusal = this.#problem ?? this.#refusal();
    if (refusal) {
      this.#scheduler.soon(() => committed(refusal));
      return open;
    }
    this.#open.add(open);
    this.#touch(open);
    return open;
  }

  note(call: OpenCall, usage: Usage): void {
    if (!this.#open.has(call) || call.end !== null) return;
    call.note = encodeUsage(usage);
    this.#touch(call);
  }

  end(call: OpenCall, end: CallEnd, committed: CommitCallback): void {
    if (!this.#open.has(call) || call.end !== null) {
      const error = new Error(`Call ${end.callId} is not open: it never began or has ended already.`);
      this.#scheduler.soon(() => committed(error));
      return;
    }
    call.end = encodeEnd(end);
    call.onEnded = committed;
    this.#touch(call);
  }

  refuse(call: RefusedCall, done: () => void): void {
    if (this.#problem) {
      if (this.#waitingRefused.length < REFUSED_WAITING_MAX) this.#waitingRefused.push(encodeRefused(call));
      else this.#loseRefused(call.calls);
      return this.#scheduler.soon(done);
    }
    const text = encodeRefused(call);
    this.#onRefused.push(done);
    if (this.#refused.push(text) === 1 && this.#touched.length === 0) this.#scheduler.soon(this.#flush);
  }

  /**
   * Ends the calls that a dead process left open, in one transaction. A second call finds none. Call `shipped` with
   * the ledger's mark first: a journal that lost its tail must not use a number twice.
   */
  recover(settleLost: SettleLost): RecoveredCalls {
    const orphans = this.#file.takeOrphans();
    for (const call of orphans) {
      const early = call.note === null ? null : decodeUsage(call.note);
      call.end = encodeEnd(settleLost(decodeBegin(call.begin), early));
      this.#open.add(call);
      this.#touch(call);
    }
    this.#flush();
    return { lost: orphans.length, gap: this.#file.gap || this.#skipped };
  }

  shipped(mark: number): void {
    if (this.#closed) return;
    if (this.#file.advance(mark)) this.#skipped = true;
    this.#mark = Math.max(this.#mark, mark);
    this.#noPrune ??= this.#scheduler.later(this.#prune, PRUNE_AFTER_MS);
  }

  close(): void {
    if (this.#closed) return;
    this.#flush();
    if (this.#waiting.length > 0 || this.#waitingRefused.length > 0) this.#probe();
    this.#loseRefused(sumRefused(this.#waitingRefused));
    this.#waitingRefused = [];
    this.#closed = true;
    this.#noProbe?.();
    this.#noPrune?.();
    this.#attempt(() => this.#file.close());
    this.#problem ??= new TollbookError('unavailable', 'The journal is closed.');
  }

  #refusal(): Error | null {
    if (this.#open.size < this.#options.openCallsMax) return null;
    return new TollbookError('unavailable', `${this.#open.size} calls are open, the maximum; try again in a moment.`);
  }

  #touch(call: OpenCall): void {
    if (call.touched) return;
    call.touched = true;
    if (this.#touched.push(call) === 1 && this.#refused.length === 0) this.#scheduler.soon(this.#flush);
  }

  /** Writes the changed calls, once per event-loop turn that has any. */
  readonly #flush = (): void => {
    const calls = this.#touched;
    const refused = this.#refused;
    if (calls.length === 0 && refused.length === 0) return;
    this.#touched = [];
    this.#refused = [];
    const onRefused = this.#onRefused;
    this.#onRefused = [];
    const failure = this.#problem ?? this.#attempt(() => this.#file.write(calls, refused));
    if (failure) this.#keepRefused(refused);
    if (!failure) {
      this.#count(calls.length);
      this.#probeMs = PROBE_MS_MIN;
    }
    const callbacks = failure ? this.#keepEnds(calls) : this.#forgetEnded(calls);
    for (const done of onRefused) callbacks.push(done);
    notifyAll(callbacks, failure);
  };

  /**
   * Forgets ended calls after a commit. Returns the callbacks, which run last, because they may change any call
   * again.
   */
  #forgetEnded(calls: readonly OpenCall[]): CommitCallback[] {
    const callbacks: CommitCallback[] = [];
    for (const call of calls) {
      if (call.end !== null) this.#open.remove(call);
      takeCallbacks(call, callbacks);
    }
    return callbacks;
  }

  /**
   * Handles a failed commit: calls whose begin was not written are forgotten; ends are kept until the file takes
   * them.
   */
  #keepEnds(calls: readonly OpenCall[]): CommitCallback[] {
    const callbacks: CommitCallback[] = [];
    for (const call of calls) {
      if (call.onBegun) this.#open.remove(call);
      else if (call.end !== null) this.#waiting.push(call);
      takeCallbacks(call, callbacks);
    }
    return callbacks;
  }

  #keepRefused(refused: readonly string[]): void {
    const room = REFUSED_WAITING_MAX - this.#waitingRefused.length;
    this.#waitingRefused.push(...refused.slice(0, room));
    this.#loseRefused(sumRefused(refused.slice(room)));
  }

  #loseRefused(calls: number): void {
    if (calls === 0) return;
    this.#lostRefusals += calls;
    this.#options.onLostRefusals?.(calls);
  }

  readonly #probe = (): void => {
    this.#noProbe = null;
    if (!this.#writeWaiting() || this.#attempt(() => this.#file.probe())) return;
    this.#problem = null;
    this.#options.onProblem(null);
  };

  /** Writes the waiting ends and refused calls. Returns false if the file still refuses them. */
  #writeWaiting(): boolean {
    const calls = this.#waiting;
    const refused = this.#waitingRefused;
    if (calls.length === 0 && refused.length === 0) return true;
    if (this.#attempt(() => this.#file.write(calls, refused))) return false;
    this.#count(calls.length);
    this.#waiting = [];
    this.#waitingRefused = [];
    for (const call of calls) this.#open.remove(call);
    return true;
  }

  readonly #prune = (): void => {
    this.#noPrune = null;
    let more = false;
    const failure = this.#attempt(() => {
      more = this.#file.prune(this.#mark);
    });
    if (more && !failure) this.#noPrune = this.#scheduler.later(this.#prune, PRUNE_BETWEEN_MS);
  };

  /** Runs work on the file. A failure becomes the journal's problem, and the file is tried again later. */
  #attempt(work: () => void): TollbookError | null {
    try {
      work();
      return null;
    } catch (error) {
      this.#failedCommits += 1;
      const before = this.problem;
      const problem = new TollbookError('unavailable', this.#file.explain(error));
      this.#problem = problem;
      this.#probeLater();
      if (problem.message !== before) this.#options.onProblem(problem.message);
      return problem;
    }
  }

  #probeLater(): void {
    if (this.#closed || this.#noProbe) return;
    this.#noProbe = this.#scheduler.later(this.#probe, this.#probeMs);
    this.#probeMs = Math.min(this.#probeMs * 2, PROBE_MS_MAX);
  }

  #count(rows: number): void {
    this.#commits += 1;
    this.#rows += rows;
  }
}

/** Sums the calls of encoded refused calls. */
function sumRefused(refused: readonly string[]): number {
  return refused.reduce((sum, text) => sum + countRefused(text), 0);
}

function takeCallbacks(call: OpenCall, callbacks: CommitCallback[]): void {
  call.touched = false;
  if (call.onBegun) callbacks.push(call.onBegun);
  if (call.onEnded) callbacks.push(call.onEnded);
  call.onBegun = null;
  call.onEnded = null;
}

/** Runs all callbacks, even if one throws, then throws the first error. */
function notifyAll(callbacks: readonly CommitCallback[], failure: Error | null): void {
  const thrown: unknown[] = [];
  for (const committed of callbacks)
    try {
      committed(failure);
    } catch (error) {
      thrown.push(error);
    }
  if (thrown.length > 0) throw thrown[0];
}
