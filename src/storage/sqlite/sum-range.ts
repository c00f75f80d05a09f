import { splitRange } from '../segments.ts';
import type { Range } from '../store.ts';
import { readDetailBegins } from './detail.ts';
import { chooseRollup } from './question.ts';
import type { Question } from './question.ts';
import type { Reading, Steps } from './reading.ts';
import { sumSegment } from './sum.ts';
import type { Group } from './sum.ts';

/** Takes the sums of a range in pieces: a combination of values may come several times. */
export function* sumRange(
  reading: Reading,
  workspaceId: string,
  question: Question,
  range: Range,
  take: (group: Group) => void,
): Steps<void> {
  const workspace = reading.names.find(workspaceId);
  if (workspace === undefined) return;
  const shape = chooseRollup(question);
  const segments = shape
    ? splitRange(range, readDetailBegins(reading.connection, workspace))
    : [{ from: 'detail' as const, ...range }];
  for (const segment of segments) {
    const read = (part: Range): void =>
      sumSegment(reading, workspace, question, shape, { ...segment, ...part }).forEach(take);
    if (segment.from === 'detail') yield* reading.inParts(workspace, segment, read);
    else read(segment);
  }
}
