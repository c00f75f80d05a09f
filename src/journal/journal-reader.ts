import { fstatSync } from 'node:fs';
import type { Entry } from '../domain/usage/call.ts';
import { type FinishedCall, isRefused, type RefusedCall } from '../domain/usage/refused-call.ts';
import { TollbookError } from '../domain/errors.ts';
import { decodeEnded } from './format.ts';
import { judgeTail, readLogLines } from './log-lines.ts';
import { explainJournalError, JournalDamage } from './log-errors.ts';
import { type JournalEnd, listSegments, readSegment, readTurn, segmentPath, withFile } from './segments.ts';

export interface EndedBatch {
  /** `end_seq` of the last call; without calls, the requested number. */
  readonly mark: number;
  readonly entries: readonly Entry[];
  /** Calls refused among them, in order. */
  readonly refused: readonly RefusedCall[];
  /** Number of ended calls that the journal no longer has, between the requested number and the first entry. */
  readonly missing: number;
}

/** Reads the journal from another thread than the one that writes it. */
export interface JournalReader {
  readonly journalId: string;
  /**
   * Returns at most `limit` ended and refused calls after `afterSeq`, in order. Throws a `TollbookError` if the journal can't be
   * read.
   */
  readEnded(afterSeq: number, limit: number): EndedBatch;
  /** Returns how far the last reading got; null = nothing was read. Begun calls behind it are left to the next reading. */
  end(): JournalEnd | null;
  close(): void;
}

/** Opens an existing journal for reading. */
export function openJournalReader(folder: string): JournalReader {
  const explained = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      if (error instanceof TollbookError) throw error;
      throw new TollbookError('unavailable', explainJournalError(folder, error));
    }
  };
  const journalId = explained(() => readSegment(folder, listSegments(folder).at(-1) ?? 0).journalId);
  let last: (ReadPosition & { readonly mark: number }) | null = null;
  return {
    journalId,
    readEnded: (afterSeq, limit) =>
      explained(() => {
        const batch = new BatchReader(afterSeq, limit, last?.mark === afterSeq ? last : findPosition(folder, afterSeq));
        batch.read(folder);
        const { mark, segment, offset, unread, entries, refused, missing } = batch;
        last = { mark, segment, offset, unread };
        return { mark, entries, refused, missing };
      }),
    end: () => last && { journalId, segment: last.segment, offset: last.offset },
    close: () => {
      last = null;
    },
  };
}

/**
 * Position of a reader: everything before `offset` of this segment is read, except the calls that did not fit the
 * last batch.
 */
interface ReadPosition {
  readonly segment: number;
  readonly offset: number;
  readonly unread: readonly FinishedCall[];
}

/** Finds the newest segment that begins at or before a number. */
function findPosition(folder: string, afterSeq: number): ReadPosition {
  const numbers = listSegments(folder);
  const segment = numbers.findLast((number) => readSegment(folder, number).endSeq <= afterSeq) ?? numbers[0] ?? 0;
  return { segment, offset: 0, unread: [] };
}

class BatchReader implements EndedBatch, ReadPosition {
  readonly entries: Entry[] = [];
  readonly refused: RefusedCall[] = [];
  readonly #limit: number;
  mark: number;
  missing = 0;
  segment: number;
  offset: number;
  unread: readonly FinishedCall[] = [];

  constructor(mark: number, limit: number, { segment, offset, unread }: ReadPosition) {
    this.#limit = limit;
    this.mark = mark;
    this.segment = segment;
    this.offset = offset;
    this.#take(unread);
  }

  read(folder: string): void {
    while (!this.#full) {
      // List first: once there is a later segment, nothing is added to this one.
      const numbers = listSegments(folder);
      const later = numbers.find((number) => number > this.segment);
      if (numbers.includes(this.segment)) this.#readSegment(segmentPath(folder, this.segment), later !== undefined);
      if (this.#full || later === undefined) return;
      this.segment = later;
      this.offset = 0;
    }
  }

  get #full(): boolean {
    return this.entries.length + this.refused.length >= this.#limit;
  }

  #readSegment(path: string, whole: boolean): void {
    withFile(path, 'r', (fd) => {
      for (const { fields, end } of readLogLines(fd, this.offset)) {
        if (!fields) {
          if (!whole && judgeTail(path, this.offset) !== 'damaged') return;
          throw new JournalDamage(path);
        }
        this.offset = end;
        this.#readLine(fields);
        if (this.#full) return;
      }
      if (whole && fstatSync(fd).size > this.offset) throw new JournalDamage(path);
    });
  }

  #readLine(fields: readonly string[]): void {
    const turn = readTurn(fields);
    if (!turn || turn.count === 0 || turn.endSeq <= this.mark) return;
    const before = turn.endSeq - turn.count;
    this.missing += Math.max(0, before - this.mark);
    this.mark = Math.max(before, this.mark);
    this.#take(decodeEnded(turn.ended).slice(this.mark - before));
  }

  #take(calls: readonly FinishedCall[]): void {
    const taken = calls.slice(0, this.#limit - this.entries.length - this.refused.length);
    for (const call of taken)
      if (isRefused(call)) this.refused.push(call);
      else this.entries.push(call);
    this.mark += taken.length;
    this.unread = calls.slice(taken.length);
  }
}
