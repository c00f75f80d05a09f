import { fsyncSync, ftruncateSync } from 'node:fs';
import { decodeEnded, decodeOpened } from './format.ts';
import type { OpenText } from './format.ts';
import { judgeTail, readLogLines } from './log-lines.ts';
import { JournalDamage } from './log-errors.ts';
import { CLOSED, readTurn, withFile } from './segments.ts';

/** State that the last process left in the newest segment. */
export interface LastState {
  readonly open: readonly OpenText[];
  readonly endSeq: number;
  /** True if closing the journal was the last write. */
  readonly closed: boolean;
  /** End of the last whole line. */
  readonly end: number;
  /** True if the process died while writing the next line. */
  readonly torn: boolean;
}

/** Plays back the newest segment. Earlier ones are not needed, because it begins with all calls open at that time. */
export function playBack(path: string, endSeqBefore: number): LastState {
  const open = new Map<string, OpenText>();
  let [endSeq, end, closed, turns] = [endSeqBefore, 0, false, 0];
  withFile(path, 'r', (fd) => {
    for (const line of readLogLines(fd, 0)) {
      if (!line.fields) return;
      end = line.end;
      closed = line.fields[0] === CLOSED;
      const turn = readTurn(line.fields);
      if (!turn) continue;
      turns += 1;
      endSeq = turn.endSeq;
      for (const call of decodeOpened(turn.opened)) open.set(call.callId, call);
      for (const { callId } of decodeEnded(turn.ended)) open.delete(callId);
    }
  });
  const tail = judgeTail(path, end);
  // The head and the open calls were on the disk before the file got this name.
  if (tail === 'damaged' || turns === 0) throw new JournalDamage(path);
  return { open: [...open.values()], endSeq, closed, end, torn: tail === 'torn' };
}

/** Removes a torn line, so that every segment but the newest is whole. */
export function cutTail(path: string, end: number): void {
  withFile(path, 'r+', (fd) => {
    ftruncateSync(fd, end);
    fsyncSync(fd);
  });
}
