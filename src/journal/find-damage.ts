import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { TollbookError } from '../domain/errors.ts';
import { judgeTail, readLogLines } from './log-lines.ts';
import { explainJournalError, JournalDamage } from './log-errors.ts';
import { listSegments, readSegment, segmentPath, withFile } from './segments.ts';

/** Reads a whole journal, in several turns. Returns what is wrong with it, as a sentence; null = it is sound. */
export async function findJournalDamage(folder: string): Promise<string | null> {
  try {
    const numbers = listSegments(folder);
    for (const number of numbers) {
      readSegment(folder, number);
      checkLines(segmentPath(folder, number), number === numbers.at(-1));
      await setImmediate();
    }
    return null;
  } catch (error) {
    return error instanceof TollbookError ? error.message : explainJournalError(folder, error);
  }
}

function checkLines(path: string, newest: boolean): void {
  let end = 0;
  withFile(path, 'r', (fd) => {
    for (const line of readLogLines(fd, 0)) {
      if (!line.fields) return;
      end = line.end;
    }
  });
  const sound = newest ? judgeTail(path, end) !== 'damaged' : statSync(path).size === end;
  if (!sound) throw new JournalDamage(path);
}
