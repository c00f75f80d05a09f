import { splitRange } from '../segments.ts';
import type { Range } from '../store.ts';
import type { Book } from './book.ts';
import { readDetailBegins } from './detail.ts';
import { chooseRollup } from './question.ts';
import type { Question } from './question.ts';
import { sumSegment } from './sum.ts';
import type { Group } from './sum.ts';

/** The sums of a range, in pieces: a combination of values may come several times. */
export function sumRange(book: Book, workspaceId: string, question: Question, range: Range): Group[] {
  const workspace = book.names.find(workspaceId);
  if (workspace === undefined) return [];
  const shape = chooseRollup(question);
  const segments = shape
    ? splitRange(range, readDetailBegins(book.connection, workspace))
    : [{ from: 'detail' as const, ...range }];
  return segments.flatMap((segment) => sumSegment(book, workspace, question, shape, segment));
}
