import { fsyncSync, ftruncateSync } from 'node:fs';
import { decodeEnded, decodeOpened } from './format.ts';
import type { OpenText } from './format.ts';
import { judgeTail, readLogLines } from './log-lines.ts';
import { JournalDamage } from './log-errors.ts';
import { CLOSED, readTurn, withFile } from './segments.ts';

/** What the newest segment tells of the process that wrote it. */
export interface LastState {
  readonly open: readonly OpenText[];
  readonly endSeq: number;
  /** It closed the journal, and nothing was written after. */
  readonly closed: boolean;
  /** Where the last whole line ends. */
  readonly end: number;
  /** Something behind it was being written when the process died. */
  readonly torn: boolean;
}

/** Plays back the newest segment. It begins with every call open at its time, so the earlier ones are not needed. */
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
  // Its head and the calls open then were on the disk before the file had this name.
  if (tail === 'damaged' || turns === 0) throw new JournalDamage(path);
  return { open: [...open.values()], endSeq, closed, end, torn: tail === 'torn' };
}

/** So that every segment but the newest is whole. */
export function cutTail(path: string, end: number): void {
  withFile(path, 'r+', (fd) => {
    ftruncateSync(fd, end);
    fsyncSync(fd);
  });
}
