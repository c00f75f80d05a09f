import { setImmediate as nextTurn } from 'node:timers/promises';
import { TollbookError } from '../core/errors.ts';
import { isTail, readLines } from './log-lines.ts';
import { explainLog, JournalDamage } from './log-trouble.ts';
import { listSegments, readSegment, segmentPath, withFile } from './segments.ts';

/** Reads a whole journal, other work in between. What is wrong with it, as a sentence; null = it is sound. */
export async function findJournalDamage(folder: string): Promise<string | null> {
  try {
    const numbers = listSegments(folder);
    for (const number of numbers) {
      readSegment(folder, number);
      checkLines(segmentPath(folder, number), number === numbers.at(-1));
      await nextTurn();
    }
    return null;
  } catch (error) {
    return error instanceof TollbookError ? error.message : explainLog(folder, error);
  }
}

function checkLines(path: string, newest: boolean): void {
  withFile(path, 'r', (fd) => {
    for (const { fields, end } of readLines(fd, 0)) {
      if (fields) continue;
      if (newest && isTail(fd, end)) return;
      throw new JournalDamage(path);
    }
  });
}
