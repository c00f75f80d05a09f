import { closeSync, existsSync, openSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { TollbookError } from '../domain/errors.ts';
import { JournalDamage } from './log-errors.ts';
import { readLogLines } from './log-lines.ts';

const FORMAT = 'tollbook-journal';
const FORMAT_VERSION = 1;
const HEAD_BYTES = 256;
const NAME = /^(\d{6,})\.log$/;
/** The only field of the line written by a close. */
export const CLOSED = 'closed';

/** Content of a segment's first line. */
export interface SegmentHead {
  readonly journalId: string;
  /** Last `end_seq` before this segment. */
  readonly endSeq: number;
  /** Time of creation; everything in earlier segments is older. */
  readonly madeAt: number;
}

export interface LogSegment extends SegmentHead {
  readonly number: number;
  bytes: number;
}

/** Lists the numbers of the segments in a folder, oldest first. */
export function listSegments(folder: string): number[] {
  const numbers = readdirSync(folder).flatMap((name) => NAME.exec(name)?.[1] ?? []);
  return numbers.map(Number).toSorted((a, b) => a - b);
}

/** Returns the id of the journal in a folder; null = none. Throws if its newest file is damaged. */
export function journalIdIn(folder: string): string | null {
  const newest = existsSync(folder) ? listSegments(folder).at(-1) : undefined;
  return newest === undefined ? null : readSegment(folder, newest).journalId;
}

export function segmentPath(folder: string, number: number): string {
  return join(folder, `${String(number).padStart(6, '0')}.log`);
}

export function headFields({ journalId, endSeq, madeAt }: SegmentHead): string {
  return `${FORMAT}\t${FORMAT_VERSION}\t${journalId}\t${endSeq}\t${madeAt}\t`;
}

/** Reads the head of a segment. Throws if the file is not one. */
export function readSegment(folder: string, number: number): LogSegment {
  const path = segmentPath(folder, number);
  const fields = firstLine(path);
  if (fields?.[0] !== FORMAT) throw new JournalDamage(path);
  const [, version, journalId = '', endSeq, madeAt] = fields;
  if (Number(version) > FORMAT_VERSION)
    throw new TollbookError('unavailable', `The journal ${folder} was made by a newer Tollbook: start that version.`);
  return { number, journalId, endSeq: Number(endSeq), madeAt: Number(madeAt), bytes: statSync(path).size };
}

/** The end of a journal: its newest segment, and the end of its last whole line. */
export interface JournalEnd {
  readonly journalId: string;
  readonly segment: number;
  readonly offset: number;
}

/** Finds the end of a journal; null = no journal. */
export function findJournalEnd(folder: string): JournalEnd | null {
  const segment = existsSync(folder) ? listSegments(folder).at(-1) : undefined;
  if (segment === undefined) return null;
  let offset = 0;
  withFile(segmentPath(folder, segment), 'r', (fd) => {
    for (const { fields, end } of readLogLines(fd, 0)) {
      if (!fields) return;
      offset = end;
    }
  });
  return { journalId: readSegment(folder, segment).journalId, segment, offset };
}

/** Content of one turn: the number of ended calls, the `end_seq` of the last, and the texts. */
export interface TurnLine {
  readonly endSeq: number;
  readonly count: number;
  readonly ended: string;
  readonly opened: string;
}

export function turnFields({ endSeq, count, ended, opened }: TurnLine): string {
  return `${endSeq}\t${count}\t${ended}\t${opened}\t`;
}

/** Reads a turn; null = the line is a head or a close. */
export function readTurn(fields: readonly string[]): TurnLine | null {
  const [endSeq, count, ended, opened] = fields;
  if (fields.length !== 4 || ended === undefined || opened === undefined) return null;
  return { endSeq: Number(endSeq), count: Number(count), ended, opened };
}

export function withFile<T>(path: string, flags: 'r' | 'r+', work: (fd: number) => T): T {
  const fd = openSync(path, flags);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

function firstLine(path: string): readonly string[] | null {
  return withFile(path, 'r', (fd) => {
    for (const { fields } of readLogLines(fd, 0, HEAD_BYTES)) return fields;
    return null;
  });
}
