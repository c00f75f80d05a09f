import { randomUUID } from 'node:crypto';
import { closeSync, fdatasyncSync, fsyncSync, ftruncateSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { TollbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { NO_SLOT, openCall } from './call-file.ts';
import type { CallFile, OpenCall } from './call-file.ts';
import { addEnded, addOpened, addRefused } from './format.ts';
import { LineMaker } from './log-lines.ts';
import { cutTail, playBack } from './log-recovery.ts';
import { explainJournalError, JournalDamage, JournalFull } from './log-errors.ts';
import { CLOSED, headFields, listSegments, readSegment, segmentPath, turnFields, withFile } from './segments.ts';
import type { LogSegment } from './segments.ts';

const PRIVATE_FOLDER = 0o700;
const PRIVATE_FILE = 0o600;
/** Name of a segment whose beginning is not on the disk yet. */
const UNFINISHED = 'unfinished';
/** Least size of a segment, as a multiple of its beginning, which is long when many calls are open. */
const LENGTHS_OF_BEGINNING = 5;

export interface LogFileOptions {
  readonly folder: string;
  readonly sync: 'normal' | 'full';
  readonly clock: Clock;
  /** Size from which the next segment begins. */
  readonly segmentBytes: number;
  /** Shipped calls are kept this long, up to a number of bytes. */
  readonly keepMs: number;
  readonly keepBytesMax: number;
  /** Maximum size of all segments together. */
  readonly bytesMax: number;
  /** Free space required for calls to begin, at the start and after a problem. */
  readonly roomBytes: number;
}

/** Opens or creates the journal's folder. Throws a `TollbookError` (`unavailable`) that says what to do. */
export function openLogFile(options: LogFileOptions): CallFile {
  try {
    mkdirSync(options.folder, { recursive: true, mode: PRIVATE_FOLDER });
    return new LogFile(options);
  } catch (error) {
    if (error instanceof TollbookError) throw error;
    throw new TollbookError('unavailable', explainJournalError(options.folder, error));
  }
}

/** Stores calls in append-only files (segments). Only the newest is written, one line per turn. */
class LogFile implements CallFile {
  readonly journalId: string;
  readonly gap: boolean;
  readonly #options: LogFileOptions;
  readonly #lines = new LineMaker();
  /** Oldest first. */
  readonly #segments: LogSegment[];
  #bytes: number;
  /** The newest segment, created by this process; null = none yet. */
  #fd: number | null = null;
  #at = 0;
  #until = 0;
  #endSeq: number;
  /** Open calls of the file, each at its `slot`. */
  readonly #open: OpenCall[] = [];
  #orphans: OpenCall[];

  constructor(options: LogFileOptions) {
    const { folder } = options;
    this.#options = options;
    this.#segments = listSegments(folder).map((number) => readSegment(folder, number));
    this.#bytes = this.#segments.reduce((sum, { bytes }) => sum + bytes, 0);
    const newest = this.#segments.at(-1);
    this.journalId = newest?.journalId ?? randomUUID();
    for (const { number, journalId } of this.#segments)
      if (journalId !== this.journalId) throw new JournalDamage(segmentPath(folder, number));
    this.#endSeq = newest?.endSeq ?? 0;
    this.gap = newest ? this.#takeOver(newest) : false;
    this.#orphans = [...this.#open];
    // A new journal must be writable. An existing one opens even if it is not, and says so at the first write.
    if (!newest) this.#startSegment();
  }

  get endSeq(): number {
    return this.#endSeq;
  }

  write(calls: readonly OpenCall[], refused: readonly string[]): void {
    if (this.#at >= this.#until) this.#startSegment();
    let ended = '';
    let opened = '';
    let count = 0;
    for (const call of calls)
      if (call.end === null) opened = addOpened(opened, call.begin, call.note);
      else {
        ended = addEnded(ended, call.begin, call.end);
        count += 1;
      }
    for (const call of refused) ended = addRefused(ended, call);
    this.#append(count + refused.length, ended, opened);
    for (const call of calls)
      if (call.end === null) this.#hold(call);
      else this.#release(call);
  }

  probe(): void {
    if (this.#at >= this.#until) this.#startSegment();
    else this.#append(0, '', '');
    this.#requireRoom();
  }

  takeOrphans(): OpenCall[] {
    const orphans = this.#orphans;
    this.#orphans = [];
    return orphans;
  }

  advance(mark: number): boolean {
    if (mark <= this.#endSeq) return false;
    this.#endSeq = mark;
    return true;
  }

  /** Deletes the oldest segment if all of it is shipped, and it is old or the journal too large. */
  prune(mark: number): boolean {
    const { folder, clock, keepMs, keepBytesMax } = this.#options;
    const [oldest, next] = this.#segments;
    if (!oldest || !next || next.endSeq > mark) return false;
    if (next.madeAt >= clock() - keepMs && this.#bytes <= keepBytesMax) return false;
    rmSync(segmentPath(folder, oldest.number), { force: true });
    this.#segments.shift();
    this.#bytes -= oldest.bytes;
    return true;
  }

  close(): void {
    const fd = this.#fd;
    this.#fd = null;
    if (fd === null) return;
    try {
      if (this.#until === 0) return;
      const line = this.#lines.make(`${CLOSED}\t`);
      writeWhole(fd, line, this.#at);
      ftruncateSync(fd, this.#at + line.length);
      fdatasyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  explain(error: unknown): string {
    return explainJournalError(this.#options.folder, error);
  }

  /** Reads what the previous process left open. Returns whether something that it wrote may be missing. */
  #takeOver(newest: LogSegment): boolean {
    const { folder, sync } = this.#options;
    const path = segmentPath(folder, newest.number);
    const last = playBack(path, newest.endSeq);
    if (newest.bytes > last.end) cutTail(path, last.end);
    this.#bytes -= newest.bytes - last.end;
    newest.bytes = last.end;
    this.#endSeq = last.endSeq;
    for (const { callId, begin, note } of last.open) this.#hold(openCall(callId, begin, note, null));
    return last.torn || (!last.closed && sync === 'normal');
  }

  #append(count: number, ended: string, opened: string): void {
    const fd = this.#fd;
    const segment = this.#segments.at(-1);
    if (fd === null || !segment) throw new Error('The journal is closed.');
    const line = this.#lines.make(turnFields({ endSeq: this.#endSeq + count, count, ended, opened }));
    this.#checkRoom(line.length);
    writeWhole(fd, line, this.#at);
    this.#at += line.length;
    this.#bytes += line.length;
    segment.bytes = this.#at;
    // A reader may have seen these numbers, so they count as used even if the next step fails.
    this.#endSeq += count;
    if (this.#options.sync === 'full') this.#sync(() => fdatasyncSync(fd));
  }

  /**
   * Runs a sync. After a failed one the disk's content is unknown: the next write begins a new segment, which repeats
   * the open calls.
   */
  #sync(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#until = 0;
      throw error;
    }
  }

  /** Begins a new segment. The previous one is synced first, so that a loss of power can tear only the newest. */
  #startSegment(): void {
    const { folder, sync, clock, segmentBytes } = this.#options;
    if (this.#fd !== null) {
      ftruncateSync(this.#fd, this.#at);
      fdatasyncSync(this.#fd);
    }
    const head = { journalId: this.journalId, endSeq: this.#endSeq, madeAt: clock() };
    const beginning = this.#beginning(headFields(head));
    this.#checkRoom(beginning.length);
    const number = (this.#segments.at(-1)?.number ?? 0) + 1;
    const until = Math.max(segmentBytes, LENGTHS_OF_BEGINNING * beginning.length);
    const room = sync === 'full' ? until - beginning.length : 0;
    const fd = makeFile(join(folder, UNFINISHED), segmentPath(folder, number), beginning, room);
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = fd;
    this.#at = beginning.length;
    this.#until = until;
    this.#bytes += beginning.length;
    this.#segments.push({ ...head, number, bytes: beginning.length });
    if (sync === 'full') this.#sync(() => syncLogFolder(folder));
  }

  /** Builds a segment's head and a line with all open calls. */
  #beginning(head: string): Buffer {
    let opened = '';
    for (const { begin, note } of this.#open) opened = addOpened(opened, begin, note);
    const first = Buffer.from(this.#lines.make(head));
    return Buffer.concat([first, this.#lines.make(turnFields({ endSeq: this.#endSeq, count: 0, ended: '', opened }))]);
  }

  /**
   * Throws if only a few more lines would fit, because calls would otherwise begin and be refused by turns. Under
   * `full` the segment has its space already.
   */
  #requireRoom(): void {
    const { roomBytes, sync } = this.#options;
    this.#checkRoom(roomBytes);
    if (this.#fd === null || sync === 'full') return;
    writeWhole(this.#fd, Buffer.alloc(roomBytes), this.#at);
    ftruncateSync(this.#fd, this.#at);
  }

  #checkRoom(bytes: number): void {
    if (this.#bytes + bytes > this.#options.bytesMax) throw new JournalFull();
  }

  #hold(call: OpenCall): void {
    if (call.slot !== NO_SLOT) return;
    call.slot = this.#open.push(call) - 1;
  }

  /** Removes an open call; the last one takes its slot. */
  #release(call: OpenCall): void {
    if (call.slot === NO_SLOT) return;
    const last = this.#open.pop();
    if (!last || last === call) return;
    this.#open[call.slot] = last;
    last.slot = call.slot;
  }
}

/** Writes all bytes or nothing. A failed write that can't be cut off is overwritten by the next. */
function writeWhole(fd: number, bytes: Uint8Array, at: number): void {
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, at + done);
  } catch (error) {
    try {
      ftruncateSync(fd, at);
    } catch {
      // Half a line has no newline, so it is never read as a line.
    }
    throw error;
  }
}

/** Creates a file with reserved space: syncing a file that does not grow costs half (measured). */
function makeFile(unfinished: string, path: string, bytes: Uint8Array, room: number): number {
  const fd = openSync(unfinished, 'w', PRIVATE_FILE);
  try {
    writeWhole(fd, bytes, 0);
    if (room > 0) writeWhole(fd, Buffer.alloc(room), bytes.length);
    fdatasyncSync(fd);
    renameSync(unfinished, path);
    return fd;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Syncs a folder's names. Windows keeps names of files in order by itself. */
function syncLogFolder(folder: string): void {
  if (process.platform !== 'win32') withFile(folder, 'r', fsyncSync);
}
